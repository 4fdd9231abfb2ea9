# Color: the flag, then NO_COLOR, then the variables that force it, then the terminal.
red() { "$psopack" info "$@" none 2>&1 | grep -c "$(printf '\033')"; }
red
red --color=always
NO_COLOR=1 red --color=always
FORCE_COLOR=1 red
CLICOLOR_FORCE=1 red
NO_COLOR=1 FORCE_COLOR=1 red
NO_COLOR='' FORCE_COLOR=1 red
FORCE_COLOR=1 red --color=never
true
