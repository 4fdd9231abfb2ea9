# The members of info --json and bench --json that others rely on.
. "$cases/lib.sh"
make_tree in
"$psopack" pack -q -o out.psopack --target navi21 --content-version 7 --hashes in
"$psopack" info --json out.psopack > info.json
json 'o["schema"]' 'o["psos"]' 'o["references"]' 'o["reference_bytes"]' 'o["components"]' \
    'o["component_bytes"]' 'o["target"]' 'o["content_version"]' 'o["profile"]' 'o["has_hashes"]' \
    'o["data_bytes"] + o["manifest_bytes"] == o["file_bytes"]' \
    'o["base_bytes"] <= o["data_bytes"]' 'o["blocks"] > 0' 'len(o["archive_id"])' \
    '[k["name"] for k in o["kinds"]]' 'sum(k["components"] for k in o["kinds"])' < info.json
"$psopack" info --json out.psopack | json 'o["file_bytes"]' > bytes
grep -q "= $(stat -c %s out.psopack)$" bytes || echo "file_bytes is wrong"
"$psopack" info out.psopack > /dev/null || echo "info fails"
"$psopack" bench --json out.psopack > bench.json
json 'o["schema"]' 'bool(o["checks"])' 'o["n"]' 'o["bytes"]' 'o["open_ns"] > 0' \
    'o["find_key_ns"] > 0' 'o["cold_read_ns_p50"] > 0' \
    'o["cold_read_ns_p99"] >= o["cold_read_ns_p50"]' 'o["warm_read_ns"] > 0' \
    'o["load_all_bytes_per_second"] > 0' 'o["heap_allocations_after_open"] in (0, None)' \
    < bench.json
"$psopack" bench out.psopack > /dev/null || echo "bench fails"
