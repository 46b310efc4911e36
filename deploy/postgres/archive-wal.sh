#!/bin/sh
# archive_command of PostgreSQL: copies one WAL segment, compressed, to another disk (deploy/RUNBOOK.md, "Base copies
# and WAL").
#   archive_command = '/usr/local/bin/archive-wal.sh %p /var/backups/forum/wal/%f'
# The exit code is 0 only after the copy is on the disk under its name. After a crash PostgreSQL may archive the same
# segment again: an existing copy with the same content is accepted, and never overwritten.
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
