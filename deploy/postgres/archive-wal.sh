#!/bin/sh
# archive_command of PostgreSQL: copies one WAL segment, compressed, to another disk (deploy/RUNBOOK.md, "Base copies and WAL").
#   archive_command = '/usr/local/bin/archive-wal.sh %p /var/backups/forum/wal/%f'
# It ends with 0 only once the copy is on the disk under its name. PostgreSQL calls it again for the same segment after a crash:
# a copy that is already there is accepted when it has the same content, and never overwritten.
set -eu
segment=$1
copy=$2.gz
if [ -e "$copy" ]; then
  gzip --decompress --stdout "$copy" | cmp --silent - "$segment"
  exit
fi
gzip --fast --stdout "$segment" > "$copy.part"
sync "$copy.part"
mv "$copy.part" "$copy"
sync "$(dirname "$copy")"
