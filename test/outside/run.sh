#!/usr/bin/env bash
# Holds the service and its clients against tools of others, with a manifest of their own; not part of `npm test`.
#   npm run test:outside
#   npm run test:outside -- --grep conformance
set -euo pipefail
cd "$(dirname "$0")/../.."
installed=test/outside/node_modules/.package-lock.json
if [ ! -e "$installed" ] || [ test/outside/package-lock.json -nt "$installed" ]; then
  npm ci --prefix test/outside --ignore-scripts --no-audit --no-fund </dev/null
fi
exec node_modules/.bin/mocha "$@" test/outside/*.outside.ts test/client/python.test.ts </dev/null
