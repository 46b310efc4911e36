#!/usr/bin/env bash
# Two API hosts and two worker hosts in network namespaces of this machine. Not part of `npm test`, because it needs
# root and takes minutes.
#   npm run test:hosts
#   npm run test:hosts -- --grep partition
set -euo pipefail
cd "$(dirname "$0")/../.."
for program in ip nsenter unshare openssl; do
  if ! command -v "$program" >/dev/null; then
    echo "test:hosts: skipped, for there is no $program here"
    exit 0
  fi
done
if ! unshare --net true 2>/dev/null; then
  echo 'test:hosts: skipped, for network namespaces cannot be made here; it needs root'
  exit 0
fi
# A network namespace that contains only what the test creates.
exec unshare --net -- sh -c 'ip link set lo up && exec "$@"' sh \
  node_modules/.bin/mocha --no-parallel "$@" test/hosts/*.hosts.ts </dev/null
