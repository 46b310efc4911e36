#!/usr/bin/env bash
# Without arguments, runs everything that CI checks: style, types and all tests. With arguments, runs only tests and
# passes the arguments to mocha:
#   npm test -- --grep cursor
#   npm test -- test/features/posts/create.test.ts
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/node_modules/.bin:$PATH"
# Node 22 and later keep compiled code here, for the many processes that a run starts. Node 20 ignores it.
export NODE_COMPILE_CACHE="$PWD/node_modules/.cache/compiled"

# The files of all tests. Heavy files, of which only one runs at a time, start early among the others, so that no worker
# is idle at the end. The longest file does, too.
list() {
  awk 'NR == FNR { heavy[++n] = $0; next }
    FNR % 12 == 1 && i < n { print heavy[++i] }
    { print }
    END { while (i < n) print heavy[++i] }' \
    <(find_files -l) <(echo test/web/browser.test.ts && find_files -L | grep -v web/browser)
}

find_files() {
  grep -rE "$1" --include='*.test.ts' '^wantCalm\(\);' test | LC_ALL=C sort
}

check() {
  # More checkers finish sooner on idle cores, but take twice the processor time, which the tests need here. Without
  # garbage collection the check takes a third less time and an eighth of a gigabyte more memory.
  export GOGC=off
  biome check --error-on-warnings && node test/tools/prose/lint.mjs &&
    tsc --noEmit --checkers 1 && tsc --noEmit -p src/web/browser
}

if [ $# -eq 0 ]; then
  # A whole run must not depend on what earlier runs left in the servers of `npm run services`.
  export TEST_SERVICES=own
  # In parallel. A problem of style or types ends the tests early.
  check </dev/null &
  checks=$!
  mocha --forbid-only $(list) </dev/null &
  tests=$!
  # npm passes a signal to this shell only.
  trap 'kill "$checks" "$tests" 2>/dev/null' INT TERM HUP
  if ! wait "$checks"; then
    # Mocha passes on only SIGINT.
    kill -INT "$tests"
    exit 1
  fi
  wait "$tests"
  exit
fi

# A path among the arguments, to a file, a directory or as a pattern, chooses the tests.
paths=()
for argument in "$@"; do
  if [[ $argument == */* ]] && compgen -G "$argument" >/dev/null; then paths+=("$argument"); fi
done
if [[ ${#paths[@]} -eq 1 && -f ${paths[0]} ]]; then
  # One file needs no worker process. `--exit` ends the run even if a test leaves something open.
  exec mocha --no-parallel --exit "$@" </dev/null
fi
if [[ ${#paths[@]} -gt 0 ]]; then exec mocha "$@" </dev/null; fi
for argument in "$@"; do
  # A mistyped name must not run every test.
  if [[ $argument == *.test.ts ]]; then
    echo "There is no $argument." >&2
    exit 2
  fi
done
exec mocha "$@" $(list) </dev/null
