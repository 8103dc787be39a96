# SPDX-License-Identifier: GPL-2.0-or-later
# The examples of README, guides and manual, typed as they stand: tests/rig/examples.py.
. "$top_srcdir/tests/rig/lib.sh"
for needed in jq python3; do
	command -v $needed >/dev/null || { skip "examples" "no $needed"; done_testing; exit; }
done
export TT_SMI_SIM='2*p150a' TT_SMI_SIM_SPEED=5 TT_SMI_BURNIN_DWELL=16 SLURMD_NODENAME=n1 ID=4711 LC_ALL=C.UTF-8 TZ=UTC0
unset TT_SMI_CODES SLURM_JOB_ID COLUMNS
python3 "$top_srcdir/tests/rig/examples.py" "$work"
