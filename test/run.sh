#!/usr/bin/env bash
# Everything that CI checks: style, types, and all tests. With arguments only the tests, as mocha takes them:
#   npm test -- --grep cursor
#   npm test -- test/features/posts/create.test.ts
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/node_modules/.bin:$PATH"

# All of them. What takes longest begins neither last, when it would be waited for, nor side by side.
all=(
  test/releases/next.test.ts
  'test/contract/**/*.test.ts'
  'test/releases/!(next).test.ts'
  test/window/browser.test.ts
  'test/!(contract|releases|window)/**/*.test.ts'
  'test/window/!(browser).test.ts'
)

check() {
  # Several checkers end sooner where cores are idle, and take twice the processor time, which here the tests want.
  biome check --error-on-warnings && tsc --noEmit --checkers 1 && tsc --noEmit -p src/window/browser
}

if [ $# -eq 0 ]; then
  # Beside each other: what is wrong with style or types ends the tests, so that nobody waits for both.
  check </dev/null &
  checks=$!
  mocha --forbid-only "${all[@]}" </dev/null &
  tests=$!
  if ! wait "$checks"; then
    kill "$tests"
    exit 1
  fi
  wait "$tests"
  exit
fi

for argument in "$@"; do
  # A file or directory among the arguments says which tests to run.
  if [[ $argument == */* && -e $argument ]]; then exec mocha "$@" </dev/null; fi
done
exec mocha "$@" "${all[@]}" </dev/null
