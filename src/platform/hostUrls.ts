const PARTS = /^([a-z+]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;

/** Splits an address with several hosts, `scheme://user@host:port,host:port/name`, into one address for each host. */
export function hostUrls(url: string): string[] {
  const [, before, hosts, after] = PARTS.exec(url) ?? [];
  return hosts === undefined ? [url] : hosts.split(',').map((host) => before + host + after);
}

export const SEVERAL_HOSTS = 'names several hosts. Add ?target_session_attrs=read-write, or give one host';

/** True if the address asks for the host that takes writes, in the form of libpq. */
export const asksForPrimary = (url: string): boolean => /[?&]target_session_attrs=read-write(&|$)/.test(url);
