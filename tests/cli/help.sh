# The overview, and one command's help.
"$psopack" --help
"$psopack" pack --help
