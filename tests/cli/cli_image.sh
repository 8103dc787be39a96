# SPDX-License-Identifier: GPL-2.0-or-later
# --image: what a compiled image was made for, whether it runs on the cards, archives that are no
# images or mean harm, and what a compiler is told of a card.
. "$top_srcdir/tests/rig/lib.sh"

for needed in jq python3; do
	command -v $needed >/dev/null || { skip "--image" "$needed is not installed"; done_testing; exit; }
done

# make.py FILE JSON KIND: an archive as the compiler makes it, with one thing of KIND more.
cat >make.py <<'END'
import io, json, sys, tarfile
path, changes, kind = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]
top = "unzipped_tti/"
device = {
    "version": "1.1.0", "device_image_name": "tt0", "arch": "Wormhole_B0", "devtype": "Silicon",
    "chip_ids": [0], "grid_size": [8, 8], "harvested_rows": None, "training": False,
    "microbatch_size": 1, "pybuda_pip_version_id": "0.1.220624", "pybuda_commit_hash": "7def2987",
    "budabackend_commit_hash": "f2fd0fa3",
    "compiled_graph_state": {"graph_name": "g", "ordered_input_shapes": [[1, 128, 128], [1]]},
}
device.update(changes)
text = json.dumps(device, indent=4).encode()
t = tarfile.open(path, "w", format=tarfile.GNU_FORMAT)
def add(name, data=b"", type=tarfile.REGTYPE, link=""):
    m = tarfile.TarInfo(name)
    m.type, m.size, m.linkname = type, len(data) if type == tarfile.REGTYPE else 0, link
    t.addfile(m, io.BytesIO(data))
add("unzipped_tti", type=tarfile.DIRTYPE)
add(top + "tensors/torch.Tensor.a.pkl", b"cos\nsystem\n(S'touch pwned'\ntR." + b"x" * 100000)
add(top + "module_files/m.py", b"open('pwned', 'w')")
if kind == "dots":
    add(top + "../" + top + "device.json", b"{}")
elif kind == "absolute":
    add("/unzipped_tti/device.json", b"{}")
elif kind == "symlink":
    add(top + "device.json", type=tarfile.SYMTYPE, link="/etc/passwd")
elif kind == "folderlink":
    add(top + "x", type=tarfile.SYMTYPE, link=".")
elif kind == "hardlink":
    add(top + "y", type=tarfile.LNKTYPE, link="/etc/shadow")
elif kind == "fifo":
    add(top + "f", type=tarfile.FIFOTYPE)
elif kind == "node":
    add(top + "n", type=tarfile.CHRTYPE)
elif kind == "escape":
    add("/\033[31m" + "e" * 200)
elif kind == "long":
    add("/" + "l/" * 2500 + "l")
elif kind == "large":
    text += b" " * (33 << 20)
if kind != "none":
    add(("./" + top if kind == "dot" else top) + "device.json", text)
if kind == "twice":
    add("./unzipped_tti//device.json", text.replace(b"Wormhole_B0", b"Blackhole"))
add(top + "tensors/torch.Tensor.b.pkl", b"y" * 3000)
t.close()
END
make() {	# FILE [JSON [KIND]]
	python3 make.py "$1" "${2:-{\}}" "${3:-fine}"
}
image() {	# rc FILE options...
	local code=$1
	shift
	run timeout 120 tt-smi --image "$@"
	rc_is "$code" "--image $*"
}

# ---- does it run? ----

make fine.tti '{"harvested_rows": 2052}'
image 0 fine.tti --sim n300-new --local
out_has "image tt0 for Wormhole_B0 (Silicon), 8 x 8 tiles, chip 0, harvested rows 2052" "what it is for"
out_has "TTI 1.1.0, by pybuda 0.1.220624" "and who made it"
out_has "inputs [1, 128, 128], [1]" "and its inputs"
out_has "loading it runs code from it: 2 are unpickled, 1 are Python files" "and what it would do"
out_has "image: runs here" "the verdict"
check "nothing was run" test ! -e pwned
check "nothing was unpacked" test ! -e unzipped_tti
image 0 fine.tti --sim n150
out_has "more rows than it was made for" "a card with a row more"
image 5 fine.tti --sim p150a
out_has "does not run: it is for Wormhole_B0" "another chip"
make large_grid.tti '{"grid_size": [10, 8]}'
image 5 large_grid.tti --sim n150
out_has "it is for 10 x 8 tiles, this card has 9 x 8" "too few rows"
image 0 large_grid.tti --sim tt-galaxy-wh
make dead.tti '{"grid_size": [10, 8], "chip_ids": [24]}'
image 4 dead.tti --sim tt-galaxy-wh:hang
out_has "not known: it was not read" "no card that does not answer"
make wide.tti '{"grid_size": [8, 7]}'
image 5 wide.tti --sim n150
make two.tti '{"chip_ids": [0, 1], "harvested_rows": [2052, 2176]}'
image 5 two.tti --sim n150
out_has "chip 1: is not here" "a chip that is not here"
image 0 two.tti --sim 'n150,n150'
image 5 two.tti --sim 'n150,p150a'
out_has "0 0000:01:00.0 n150 L: runs" "the card that it runs on"
out_has "chip 1: it is for Wormhole_B0" "and why it does not"
make gs.tti '{"arch": "Grayskull", "grid_size": [10, 12]}'
image 0 gs.tti --sim e150
image 4 gs.tti --sim e75
out_has "image: not known: chip 0" "a Grayskull whose rows nobody was asked for"
make golden.tti '{"devtype": "Golden"}'
image 5 golden.tti --sim n150
out_has "it was made for Golden, not for silicon" "no card runs it"
make bh.tti '{"arch": "Blackhole", "grid_size": [10, 14]}'
image 0 bh.tti --sim p150a
make bh12.tti '{"arch": "Blackhole", "grid_size": [10, 12]}'
image 5 bh12.tti --sim p150a
image 4 bh.tti --sim p150a:hang --timeout 0.3
mkdir empty
image 3 fine.tti --root empty
image 0 fine.tti --sim n150 --json
check "as JSON" test "$(jq -r '.result, .image.rows, .image.pickles, .cards[0].result' "$out" |
	tr '\n' ' ')" = "runs 8 2 runs "
cp -r "$top_srcdir/tests/fixtures/sysfs/wormhole" tree
chmod -R u+w tree
find tree -name tt_fw_bundle_ver -delete
image 0 --root tree
out_lacks "before 18.7" "no version is claimed of firmware that does not tell its own"
make list.tti '{"harvested_rows": [0]}'
image 0 list.tti --sim n150
make dot.tti '{}' dot
image 0 dot.tti --sim n150

# ---- archives that mean harm: seen, said, and never believed ----

for kind in dots absolute symlink folderlink hardlink fifo node twice escape long; do
	make $kind.tti '{}' $kind
	image 5 $kind.tti --sim n300-new
	out_has "image: does not run here: no compiler made this archive" "$kind: the verdict"
	check "$kind: commands no terminal" sh -c "! grep -q \"$(printf '\033')\" '$out' '$err'"
	image 5 $kind.tti --root empty
done
make none.tti '{}' none
image 1 none.tti --sim n150
err_code not-known 'unzipped_tti/device.json' "an archive of something else"
make large.tti '{}' large
image 1 large.tti --sim n150
err_code too-large 'device.json' "a device.json without an end"
if python3 -c 'f = open("sparse", "wb"); f.seek(1 << 40); f.write(b"x")' 2>/dev/null && mkdir -p unzipped_tti && mv sparse unzipped_tti/device.json &&
	timeout 20 tar --sparse --format=gnu -cf sparse.tti unzipped_tti 2>/dev/null; then
	image 1 sparse.tti --sim n150
	err_code too-large 'device.json' "a hole of 1 TB"
else
	skip "a hole of 1 TB" "no such file or archive can be made here"
fi
rm -rf unzipped_tti
size=$(stat -c %s fine.tti)
for at in 1 511 700 60000 $((size / 2)) 104000; do
	head -c $at fine.tti >cut.tti
	image 1 cut.tti --sim n150
done
gzip -k fine.tti
image 1 fine.tti.gz --sim n150
: >nothing.tti
image 1 nothing.tti --sim n150
head -c 100000 /dev/urandom >noise.tti
image 1 noise.tti --sim n150
mkfifo fifo.tti.pipe
image 1 fifo.tti.pipe --sim n150
image 1 empty --sim n150
image 1 nowhere --sim n150
err_code not-found 'nowhere' "is said"
for bad in '{"grid_size": [0, 8]}' '{"grid_size": "8x8"}' '{"grid_size": [8]}' '{"grid_size": [1e30, 8]}' \
	'{"chip_ids": [-1]}' '{"chip_ids": [400]}' '{"chip_ids": []}' '{"harvested_rows": [1, 2]}' \
	'{"harvested_rows": 70000}' '{"arch": null}' '{"version": 1}'; do
	make bad.tti "$bad"
	image 1 bad.tti --sim n150
	err_code invalid 'bad.tti' "$bad: refused"
done
make plain.tti '{"arch": "\u001b]0;title\u0007Wormhole_B0", "device_image_name": "\u009b31m"}'
image 5 plain.tti --sim n150
check "its texts command no terminal" sh -c "! grep -q \"$(printf '\033')\" '$out'"

# ---- what a compiler is told ----

image 0 --sim n150
out_has "arch Wormhole_B0, device_config wh_n150, grid 9 x 8" "label and grid"
mask=$(sed -n 's/.*rows mask \([0-9]*\),.*/\1/p' "$out")
check "a row is harvested" test "$mask" -gt 0
cp "$out" card.yaml
make own.tti "{\"grid_size\": [9, 8], \"harvested_rows\": $mask}"
image 0 own.tti --sim n150
out_lacks "by hand" "an image that was made with it"
make other.tti "{\"grid_size\": [9, 8], \"harvested_rows\": $((mask * 2))}"
image 0 other.tti --sim n150
out_has "rows that were harvested by hand would have to be the same" "and with another row"
if python3 -c 'import yaml' 2>/dev/null; then
	cat >read.py <<'END'
import sys, yaml
d, mask = yaml.safe_load(open("card.yaml")), int(sys.argv[1])
live, off = d["functional_workers"], d["harvested_workers"]
rows = {int(w.split("-")[1]) for w in off}
assert len(live) == 72 and len(off) == 8 and not set(live) & set(off)
assert sum(1 << r for r in rows) == mask and d["arch_name"] == "WORMHOLE_B0"
assert all(0 <= int(n) < (d["grid"]["x_size"], d["grid"]["y_size"])[i]
           for w in live + off + sum(d["dram"], []) + d["eth"] for i, n in enumerate(w.split("-")))
END
	check "the descriptor has the card's tiles" python3 read.py "$mask"
else
	skip "the descriptor has the card's tiles" "python3-yaml is not installed"
fi
image 0 --sim p150a --json
check "a Blackhole has no descriptor" test "$(jq -r '.cards[0] | .descriptor, .harvested_rows, .columns' \
	"$out" | tr '\n' ' ')" = "null 0 14 "
image 4 --sim e75
out_has "grid not known, harvested rows not known" "a board that does not say it"
image 3 --root empty
run tt-smi --image fine.tti --bundle x
rc_is 2 "two modes"
# Firmware that has stopped: what it left is not what the card reports, live as in a file.
tt-smi -s -f stuck.json --sim p150a,n150:stuck >/dev/null 2>&1
for source in '--sim p150a,n150:stuck' '--load stuck.json'; do
	# shellcheck disable=SC2086
	run tt-smi --image $source
	rc_is 4 "$source: a card that was not read, also into a file"
	err_code firmware-down 1 "and which"
	err_lacks strict "without --strict, which --image does not take"
done

done_testing
