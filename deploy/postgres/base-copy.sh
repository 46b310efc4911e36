#!/bin/sh
# Makes a base copy of a PostgreSQL server. Then removes copies older than the newest KEPT, and the WAL of
# archive-wal.sh that only these need (deploy/RUNBOOK.md, "Base copies and WAL"). Removes nothing unless the new copy is
# complete and on the disk.
#   base-copy.sh /var/backups/forum [KEPT]
set -eu
backups=$1
kept=${2:-7}
name=$(date --utc +%Y-%m-%dT%H%M%SZ)
rm -rf "$backups"/base/*.part
pg_basebackup --pgdata="$backups/base/$name.part" --format=tar --gzip \
  --checkpoint=fast --wal-method=stream --no-password
# pg_basebackup has synced the files. Their directory gets its name last.
mv "$backups/base/$name.part" "$backups/base/$name"
sync "$backups/base"
ls "$backups/base" | sort | head --lines="-$kept" | while read -r old; do rm -rf "$backups/base/$old"; done
oldest=$(ls "$backups/base" | sort | head --lines=1)
first=$(tar --extract --gzip --to-stdout --file="$backups/base/$oldest/base.tar.gz" backup_label |
  sed -n 's/^START WAL LOCATION: .*(file \([0-9A-F]\{24\}\))$/\1/p')
# Debian installs pg_archivecleanup beside the server's programs.
PATH=$PATH:$(ls -d /usr/lib/postgresql/*/bin | sort --version-sort | tail --lines=1)
pg_archivecleanup -x .gz "$backups/wal" "$first"
