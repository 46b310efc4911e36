/** Returns the name of the folder that has the default key file of one forum, such as `https_forum.example`. */
export function keyFolderOf(origin: string): string {
  const { protocol, hostname, port } = new URL(origin);
  const host = hostname.replaceAll(/[[\]]/g, '').replaceAll(':', '-');
  return [protocol.slice(0, -1), host, port].filter(Boolean).join('_');
}
