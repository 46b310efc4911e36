#!/usr/bin/env bash
# Everything that CI checks: style, types, and all tests. With arguments only the tests, as mocha takes them:
#   npm test -- --grep cursor
#   npm test -- test/features/posts/create.test.ts
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/node_modules/.bin:$PATH"

# All of them, three files at a time, of which one at least should wait and not work: what waits longest begins beside the
# two that run releases beside each other, which are worst off where the processor is short.
first=(
  test/releases/next.test.ts
  test/faults/charges.test.ts
  test/contract/http/pipelining.test.ts
  test/contract/http/slowClients.test.ts
  test/contract/http/greedySockets.test.ts
  test/faults/redisLater.test.ts
  test/releases/first.test.ts
)
all=()
while IFS= read -r file; do all+=("$file"); done < <(
  { printf '%s\n' "${first[@]}"; find test/contract -name '*.test.ts' | sort; find test -name '*.test.ts' | sort; } |
    awk '!seen[$0]++'
)

if [ $# -eq 0 ]; then
  biome check --error-on-warnings
  tsc --noEmit
  tsc --noEmit -p src/window/browser
  exec mocha --forbid-only "${all[@]}" </dev/null
fi

for argument in "$@"; do
  # A file or directory among the arguments says which tests to run.
  if [[ $argument == */* && -e $argument ]]; then exec mocha "$@" </dev/null; fi
done
exec mocha "$@" "${all[@]}" </dev/null
