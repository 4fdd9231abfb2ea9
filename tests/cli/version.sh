# One line; the numbers are checked for their form only.
"$psopack" version | sed -E 's/[0-9]+(\.[0-9]+)*/N/g'
"$psopack" --version > version
"$psopack" version | cmp - version
"$psopack" version --json | sed -E 's/[0-9]+(\.[0-9]+)+/N/g'
