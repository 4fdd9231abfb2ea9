# Every help goes to standard output, fits 80 columns, exits 0, and is the same asked in three ways.
commands=$("$psopack" help --json | python3 -c \
    'import json, sys; print(*(c["name"] for c in json.load(sys.stdin)["commands"]))')
for command in $commands; do
    "$psopack" "$command" --help > text || echo "$command --help: exit $?"
    "$psopack" "$command" --no-such-option --help > /dev/null 2>&1 && echo "$command: took nonsense"
    awk -v c="$command" 'length > 80 { print c ": " $0 }' text
    head -n 1 text
    "$psopack" help "$command" | cmp - text
    "$psopack" "$command" -h | cmp - text
done
"$psopack" --help | awk 'length > 80'
"$psopack" --help > text
"$psopack" help | cmp - text
