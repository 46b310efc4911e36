#!/usr/bin/env bash
# Holds the service and its clients against tools of others, with a manifest of their own; not part of `npm test`.
#   npm run test:outside
#   npm run test:outside -- --grep conformance
set -euo pipefail
cd "$(dirname "$0")/../.."
# Beside the other things that are made here, and not among the sources, where half a gigabyte would be in the way.
place=.forum/outside
mkdir -p "$place"
if [ ! -e "$place/node_modules" ] || ! cmp -s test/outside/package-lock.json "$place/package-lock.json"; then
  cp test/outside/package.json test/outside/package-lock.json "$place"
  npm ci --prefix "$place" --ignore-scripts --no-audit --no-fund </dev/null
fi
exec node_modules/.bin/mocha "$@" test/outside/*.outside.ts test/client/python.test.ts </dev/null
