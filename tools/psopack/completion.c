/* SPDX-License-Identifier: MIT */
/* The tables of commands and options as shell completions and as part of the man page. */
#include "completion.h"

#include "command.h"

#include <stdio.h>
#include <string.h>

/* Help texts have no quotes, brackets or backslashes; tests/cli holds them to it. */

static bool takes(const psopack_command *command, const psopack_option_row *row)
{
    return (row->commands & command->bit) != 0;
}

static void put_choices(const psopack_option_row *row)
{
    for (const char *c = row->choices; *c; c++)
        putchar(*c == '|' ? ' ' : *c);
}

static bool is_folder(const char *value)
{
    return strcmp(value, "DIR") == 0;
}

static bool is_file(const char *value)
{
    return strcmp(value, "FILE") == 0;
}

/* ---- bash ------------------------------------------------------------------------------------ */

static void put_bash_words(const psopack_command *command)
{
    printf("    %s) options='", command->name);
    for (size_t i = 0; i < psopack_option_row_count; i++) {
        const psopack_option_row *row = &psopack_option_rows[i];
        if (!takes(command, row))
            continue;
        if (row->letters)
            printf("-%s ", row->letters);
        printf("--%s ", row->name);
    }
    puts("' ;;");
}

/* What follows an option is the same for all commands, so one list serves them. */
static void put_bash_arguments(void)
{
    for (size_t i = 0; i < psopack_option_row_count; i++) {
        const psopack_option_row *row = &psopack_option_rows[i];
        if (!row->value || (i > 0 && strcmp(row->name, psopack_option_rows[i - 1].name) == 0))
            continue;
        printf("    --%s", row->name);
        if (row->letters)
            printf("|-%s", row->letters);
        printf(") ");
        if (row->choices) {
            printf("COMPREPLY=($(compgen -W '");
            put_choices(row);
            puts("' -- \"$word\")); return ;;");
        } else if (is_file(row->value)) {
            puts("COMPREPLY=($(compgen -f -- \"$word\")); return ;;");
        } else if (is_folder(row->value)) {
            puts("COMPREPLY=($(compgen -d -- \"$word\")); return ;;");
        } else {
            puts("return ;;");
        }
    }
}

void psopack_completion_bash(void)
{
    puts("# bash completion for psopack, made by psopack help --format bash\n"
         "_psopack()\n"
         "{\n"
         "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options=\n"
         "    # --option=value comes in three words\n"
         "    [[ $word == '=' ]] && word=\n"
         "    [[ $before == '=' ]] && before=${COMP_WORDS[COMP_CWORD-2]}\n"
         "    if ((COMP_CWORD == 1)); then");
    printf("        COMPREPLY=($(compgen -W '");
    for (size_t i = 0; i < psopack_command_count; i++)
        printf("%s%s", i ? " " : "", psopack_commands[i].name);
    puts("' -- \"$word\"))\n"
         "        return\n"
         "    fi\n"
         "    case $before in");
    put_bash_arguments();
    puts("    esac\n"
         "    case ${COMP_WORDS[1]} in");
    for (size_t i = 0; i < psopack_command_count; i++)
        put_bash_words(&psopack_commands[i]);
    puts("    esac\n"
         "    if [[ $word == -* ]]; then\n"
         "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
         "    else\n"
         "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "    fi\n"
         "}\n"
         "complete -o filenames -F _psopack psopack");
}

/* ---- zsh ------------------------------------------------------------------------------------- */

/* One ":message:action" per word of the value. */
static void put_zsh_arguments(const psopack_option_row *row)
{
    if (!row->value)
        return;
    for (const char *value = row->value; *value;) {
        size_t size = strcspn(value, " ");
        putchar(':');
        fwrite(value, 1, size, stdout);
        putchar(':');
        if (row->choices) {
            putchar('(');
            put_choices(row);
            putchar(')');
        } else if (is_folder(value)) {
            printf("_files -/");
        } else if (is_file(value)) {
            printf("_files");
        } else {
            putchar(' '); /* no action: "::" would mean an optional argument */
        }
        value += size + strspn(value + size, " ");
    }
}

static void put_zsh_option(const psopack_option_row *row)
{
    bool many = row->kind == PSOPACK_OPTION_WORDS || row->kind == PSOPACK_OPTION_FLAG;
    if (!row->letters)
        printf("        '%s--%s[%s]", many ? "*" : "", row->name, row->help);
    else if (many)
        printf("        '*'{-%s,--%s}'[%s]", row->letters, row->name, row->help);
    else
        printf("        '(-%s --%s)'{-%s,--%s}'[%s]", row->letters, row->name, row->letters,
               row->name, row->help);
    put_zsh_arguments(row);
    puts("' \\");
}

void psopack_completion_zsh(void)
{
    puts("#compdef psopack\n"
         "# zsh completion for psopack, made by psopack help --format zsh\n"
         "_psopack()\n"
         "{\n"
         "    if ((CURRENT == 2)); then\n"
         "        local -a commands=(");
    for (size_t i = 0; i < psopack_command_count; i++)
        printf("            '%s:%s'\n", psopack_commands[i].name, psopack_commands[i].summary);
    puts("        )\n"
         "        _describe command commands\n"
         "        return\n"
         "    fi\n"
         "    shift words\n"
         "    ((CURRENT--))\n"
         "    case $words[1] in");
    for (size_t i = 0; i < psopack_command_count; i++) {
        printf("    %s)\n        _arguments \\\n", psopack_commands[i].name);
        for (size_t j = 0; j < psopack_option_row_count; j++) {
            if (takes(&psopack_commands[i], &psopack_option_rows[j]))
                put_zsh_option(&psopack_option_rows[j]);
        }
        puts("        '*:operand:_files'\n        ;;");
    }
    puts("    esac\n"
         "}\n"
         "_psopack \"$@\"");
}

/* ---- fish ------------------------------------------------------------------------------------ */

static void put_fish_option(const psopack_command *command, const psopack_option_row *row)
{
    printf("complete -c psopack -n '__fish_seen_subcommand_from %s' -l %s", command->name,
           row->name);
    if (row->letters)
        printf(" -%c %s", row->letters[1] ? 'o' : 's', row->letters);
    if (row->choices) {
        printf(" -x -a '");
        put_choices(row);
        putchar('\'');
    } else if (row->value) {
        printf(is_file(row->value) || is_folder(row->value) ? " -r" : " -x");
    }
    printf(" -d '%s'\n", row->help);
}

void psopack_completion_fish(void)
{
    puts("# fish completion for psopack, made by psopack help --format fish");
    for (size_t i = 0; i < psopack_command_count; i++)
        printf("complete -c psopack -n __fish_use_subcommand -f -a %s -d '%s'\n",
               psopack_commands[i].name, psopack_commands[i].summary);
    for (size_t i = 0; i < psopack_command_count; i++) {
        for (size_t j = 0; j < psopack_option_row_count; j++) {
            if (takes(&psopack_commands[i], &psopack_option_rows[j]))
                put_fish_option(&psopack_commands[i], &psopack_option_rows[j]);
        }
    }
}

/* ---- the man page ---------------------------------------------------------------------------- */

/* The value's words in italics: "_SLOT_ _DIR_", "_SLOT_=_N_". */
static void put_scdoc_value(const char *value)
{
    while (*value) {
        size_t size = strcspn(value, " =");
        printf("_%.*s_", (int)size, value);
        value += size;
        if (*value)
            putchar(*value++);
    }
}

static void put_scdoc_commands(const psopack_option_row *row)
{
    if (row->commands == PSOPACK_FOR_ALL)
        return;
    printf(" (");
    const char *separator = "";
    for (size_t i = 0; i < psopack_command_count; i++) {
        if (takes(&psopack_commands[i], row)) {
            printf("%s%s", separator, psopack_commands[i].name);
            separator = ", ";
        }
    }
    putchar(')');
}

static void put_scdoc_option(const psopack_option_row *row)
{
    if (row->letters)
        printf("*-%s*, ", row->letters);
    printf("*--%s*", row->name);
    if (row->value) {
        putchar(' ');
        put_scdoc_value(row->value);
    }
    putchar('\n');
    printf("\t%s", row->help);
    put_scdoc_commands(row);
    puts(".");
    if (row->choices) {
        printf("\tOne of: ");
        put_choices(row);
        puts(".");
    }
    putchar('\n');
}

void psopack_completion_scdoc(void)
{
    for (size_t i = 0; i < psopack_option_row_count; i++)
        put_scdoc_option(&psopack_option_rows[i]);
}
