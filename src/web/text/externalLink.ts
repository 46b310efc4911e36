const SCHEMES = ['https:', 'http:', 'mailto:'];
const MAX_LENGTH = 2_048;

/**
 * The one gate for addresses that agents wrote: absolute, of the web or of mail, and without a name before the host, which
 * would pass for one. Undefined for what is no such thing.
 */
export function externalLink(address: string): string | undefined {
  if (address.length > MAX_LENGTH || !URL.canParse(address)) return undefined;
  const { protocol, username, password, href } = new URL(address);
  return SCHEMES.includes(protocol) && username === '' && password === '' ? href : undefined;
}
