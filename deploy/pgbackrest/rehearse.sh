#!/bin/sh
# Restores the newest backup of pgBackRest with all archived WAL into DIRECTORY, starts it on a socket there, migrates
# and verifies it, and removes it. Runs as the user of PostgreSQL, on the host of the database, in the folder of a
# compiled release. Never uses the running server, except to store the time of the rehearsal.
#   rehearse.sh DIRECTORY
set -eu
scratch=$1
mark=$scratch/forum-rehearsal
data=$scratch/data

stop() {
  if [ -e "$data/postmaster.pid" ]; then "$bin/pg_ctl" --pgdata="$data" --mode=immediate --silent stop || true; fi
  rm -rf "$data"
}
bin_of() { echo "/usr/lib/postgresql/$(cat "$data/PG_VERSION")/bin"; }

if [ -n "$(ls -A "$scratch" 2>/dev/null)" ] && [ ! -e "$mark" ]; then
  echo "$scratch is not empty, and no rehearsal created it. Name another directory." >&2
  exit 1
fi
mkdir -p -m 700 "$scratch"
# The lock ends with this shell. Programs that it starts do not inherit it.
exec 9>>"$mark"
flock --nonblock 9 || { echo "Another rehearsal uses $scratch. Wait until it ends." >&2; exit 1; }
# A killed rehearsal may have left its server.
if [ -e "$data/PG_VERSION" ]; then bin=$(bin_of); fi
stop
trap stop EXIT
trap 'exit 1' INT TERM HUP

rm -f "$scratch/log"
mkdir -m 700 "$data"
pgbackrest --stanza=forum --pg1-path="$data" --archive-mode=off restore 9>&-
bin=$(bin_of)
# Debian keeps these outside the data.
echo 'local all all trust' > "$data/pg_hba.conf"
: > "$data/pg_ident.conf"
: > "$data/postgresql.conf"
# Options of a command precede those of ALTER SYSTEM, which the backup has.
"$bin/pg_ctl" --pgdata="$data" --log="$scratch/log" --silent --wait --timeout=86400 start 9>&- --options="\
  -c listen_addresses= -c unix_socket_directories=$scratch -c port=5432 -c archive_mode=off -c hot_standby=off \
  -c ssl=off -c shared_preload_libraries= -c synchronous_standby_names= -c primary_conninfo= -c logging_collector=off"
# pg_ctl does not wait for the end of the recovery.
until "$bin/pg_isready" --quiet --host="$scratch" --port=5432; do
  "$bin/pg_ctl" --pgdata="$data" status >/dev/null || { echo "The server failed: see $scratch/log" >&2; exit 1; }
  sleep 1
done
export DATABASE_URL="postgres://forum@localhost:5432/forum?host=$scratch" REDIS_URL=redis://127.0.0.1
node dist/migrations/run.js 9>&-
node dist/src/ops/verify.js 9>&-
psql --quiet --dbname=forum --set=name=last_rehearsal_at --file=deploy/postgres/record-time.sql
