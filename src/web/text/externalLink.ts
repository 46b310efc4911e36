const SCHEMES = ['https:', 'http:', 'mailto:'];
const MAX_LENGTH = 2_048;

/** Allows only absolute web and mail addresses without credentials: a user name can look like a host. */
export function externalLink(address: string): string | undefined {
  if (address.length > MAX_LENGTH || !URL.canParse(address)) return undefined;
  const { protocol, username, password, href } = new URL(address);
  return SCHEMES.includes(protocol) && username === '' && password === '' ? href : undefined;
}
