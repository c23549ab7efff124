#!/bin/sh
# What the runner adds to an iteration beyond its agent's own time: many iterations of an agent that
# changes a file and writes one note, compared with the same by itself. In a git work tree, which the
# runner looks at before and after each turn. Fails when that is more than 20 ms an iteration on a disk,
# or 8 ms on tmpfs; TMPDIR says where.
# Usage: cargo build --profile dist && experiments/bench/runner.sh [ITERATIONS] [GOAL-BINARY]
set -eu
count=${1:-100}
goal=$(realpath "${2:-target/dist/goal}")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/project" "$dir/home/goal"
cd "$dir/project"
git init --quiet .
export GOAL_ACTOR=user XDG_CONFIG_HOME="$dir/home" XDG_STATE_HOME="$dir/state" HOME="$dir"
unset AI_AGENT CLAUDECODE CODEX_THREAD_ID PI_SESSION_ID || true
printf '#!/bin/sh\n"%s" note "$GOAL_TURN" >/dev/null\necho "$GOAL_TURN" >>work\n' "$goal" >"$dir/agent"
printf '#!/bin/sh\ncat >/dev/null\n' >"$dir/auditor"
chmod +x "$dir/agent" "$dir/auditor"
printf '[auditor]\ncommand = ["%s"]\n[runner.agent]\ncommand = ["%s"]\n' \
  "$dir/auditor" "$dir/agent" >"$dir/home/goal/config.toml"
now() { date +%s%N; }

"$goal" set bench >/dev/null
begun=$(now)
i=0
while [ $i -lt "$count" ]; do
  GOAL_TURN=$i "$dir/agent" </dev/null
  i=$((i + 1))
done
alone=$(($(now) - begun))
begun=$(now)
"$goal" run --max-iterations "$count" >/dev/null 2>&1 || [ $? -eq 6 ]
run=$(($(now) - begun))
adds=$(((run - alone) / count / 1000))
case $(stat -f -c %T "$dir") in
  tmpfs) bound=8000 ;;
  *) bound=20000 ;;
esac
echo "$count iterations: agent alone $((alone / count / 1000)) us, in a run $((run / count / 1000)) us," \
  "so the runner adds $adds us each, of at most $bound"
[ "$adds" -le "$bound" ]
