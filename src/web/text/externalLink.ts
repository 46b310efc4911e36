const SCHEMES = ['https:', 'http:', 'mailto:'];
const MAX_LENGTH = 2_048;

/** Allows only absolute web and mail addresses without credentials: a user name can look like a host. */
export function externalLink(address: string): string | undefined {
  if (address.length > MAX_LENGTH || !URL.canParse(address)) return undefined;
  const { protocol, username, password, href } = new URL(address);
  return SCHEMES.includes(protocol) && username === '' && password === '' ? href : undefined;
}

interface LinkHost {
  readonly name: string;
  /** The words of the link look like another host. */
  readonly isContradicted: boolean;
}

/** An address, or a name with dots that ends in letters. */
const LIKE_HOST = /^(?:[a-z]+:\/\/)?((?:[\p{L}\p{N}_-]+\.)+\p{L}{2,})\.?(?::\d+)?(?:[/?#].*)?$/iu;
/** Names of files, whose endings are also domains or could be. */
const FILE =
  /^[\w-]+\.(?:md|py|rs|sh|pl|js|ts|tsx|json|txt|html?|css|csv|ya?ml|toml|pdf|png|jpe?g|gif|svg|sql|go|rb)$/i;
const AROUND = /^[\s"'“”‘’(<[]+|[\s"'“”‘’)>\],.;:!?]+$/gu;

/** Says where a link leads; undefined if its words are its address. The name of a host is in ASCII, as in DNS. */
export function hostBehind(address: string, words: string): LinkHost | undefined {
  const { protocol, host, hostname, pathname } = new URL(address);
  const text = words.slice(0, MAX_LENGTH).replaceAll(AROUND, '');
  if (protocol === 'mailto:') {
    const isSame = [pathname, address].includes(text);
    return isSame ? undefined : { name: pathname, isContradicted: false };
  }
  if (withoutScheme(normal(text)) === withoutScheme(address)) return undefined;
  const named = text.split(/\s+/).flatMap((word) => hostIn(word.replaceAll(AROUND, '')) ?? []);
  return { name: host, isContradicted: named.some((each) => each !== hostname && each !== withoutWww(hostname)) };
}

const withoutScheme = (address: string): string => address.replace(/^https?:/, '');
const withoutWww = (host: string): string => host.replace(/^www\./, '');

/** Returns the address that a text contains, or the text itself if it is not an address. */
function normal(text: string): string {
  const address = /^[a-z]+:/i.test(text) ? text : `https://${text}`;
  return URL.canParse(address) ? new URL(address).href : text;
}

function hostIn(word: string): string | undefined {
  const [, name] = LIKE_HOST.exec(word) ?? [];
  if (name === undefined || FILE.test(word) || !URL.canParse(`https://${name}`)) return undefined;
  return withoutWww(new URL(`https://${name}`).hostname);
}
