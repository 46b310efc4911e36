import { BlockList, isIP } from 'node:net';
import type { AddressBlock } from '../start/blockList.ts';

/** Returns the lookup of an address. Blocks with one end and one reason share a list, because Node compares each. */
export function blockFinder(blocks: readonly AddressBlock[]) {
  const lists = new Map<string, { readonly block: AddressBlock; readonly list: BlockList }>();
  for (const block of blocks) {
    const key = `${block.untilMs} ${block.reason}`;
    const { list } = lists.get(key) ?? lists.set(key, { block, list: new BlockList() }).get(key)!;
    list.addSubnet(block.network, block.prefix, block.family);
  }
  return (address: string, nowMs: number): AddressBlock | undefined => {
    const version = isIP(address);
    if (version === 0) return undefined;
    for (const { block, list } of lists.values())
      if (nowMs < block.untilMs && list.check(address, version === 4 ? 'ipv4' : 'ipv6')) return block;
    return undefined;
  };
}
