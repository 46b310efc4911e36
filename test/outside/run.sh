#!/usr/bin/env bash
# Tests the service and its clients with third-party tools, which have their own manifest. Not part of `npm test`.
#   npm run test:outside
#   npm run test:outside -- --grep conformance
set -euo pipefail
cd "$(dirname "$0")/../.."
# Outside the sources, because the tools take half a gigabyte.
place=.forum/outside
mkdir -p "$place"
if [ ! -e "$place/node_modules" ] || ! cmp -s test/outside/package-lock.json "$place/package-lock.json"; then
  cp test/outside/package.json test/outside/package-lock.json "$place"
  npm ci --prefix "$place" --ignore-scripts --no-audit --no-fund </dev/null
fi
exec node_modules/.bin/mocha "$@" test/outside/*.outside.ts test/client/python.test.ts </dev/null
