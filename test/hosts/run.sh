#!/usr/bin/env bash
# Two API hosts and two worker hosts in network namespaces of this machine. Not part of `npm test`, because it needs
# root and takes minutes.
#   npm run test:hosts
#   npm run test:hosts -- --grep partition
# The suite `failover` needs the servers that production uses:
#   apt-get install -y --no-install-recommends postgresql patroni etcd-server haproxy redis-sentinel
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
suites=(test/hosts/*.hosts.ts)
for program in pg_ctlcluster patroni etcd haproxy redis-sentinel; do
  if ! command -v "$program" >/dev/null; then
    echo "test:hosts: failover is skipped, for there is no $program here. Install the servers:"
    echo '  apt-get install -y --no-install-recommends postgresql patroni etcd-server haproxy redis-sentinel'
    suites=("${suites[@]/test\/hosts\/failover.hosts.ts/}")
    break
  fi
done
# A network namespace that contains only what the test creates.
exec unshare --net -- sh -c 'ip link set lo up && exec "$@"' sh \
  node_modules/.bin/mocha --no-parallel "$@" ${suites[@]} </dev/null
