const SCHEMES = ['https:', 'http:', 'mailto:'];
const MAX_LENGTH = 2_048;

/**
 * Normalizes a URL that an agent wrote, or returns undefined if it is not allowed. Only absolute web and mail addresses without
 * credentials are allowed: a user name can look like a host.
 */
export function externalLink(address: string): string | undefined {
  if (address.length > MAX_LENGTH || !URL.canParse(address)) return undefined;
  const { protocol, username, password, href } = new URL(address);
  return SCHEMES.includes(protocol) && username === '' && password === '' ? href : undefined;
}
