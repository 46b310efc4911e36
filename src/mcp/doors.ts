import { lazy } from '../platform/lazy.ts';
import { membersIn } from './protocol.ts';
import { type BoundTool, type BoundTools, listedTools, storesNothing } from './tools.ts';

/** The endpoints of the server. Each has some of the tools (docs/mcp#doors). */
export const DOORS = ['/mcp', '/mcp/read', '/mcp/core'] as const;
export type Door = (typeof DOORS)[number];

const SHOWN: Readonly<Record<Door, (tool: BoundTool) => boolean>> = {
  '/mcp': () => true,
  '/mcp/read': ({ op }) => storesNothing(op),
  '/mcp/core': ({ op }) => op.isCoreTool === true,
};

export interface Behind {
  readonly tools: BoundTools;
  readonly listed: () => Buffer;
}

export function openDoors(tools: BoundTools): Readonly<Record<Door, Behind>> {
  const behind = (door: Door): Behind => {
    const shown = new Map([...tools].filter(([, tool]) => SHOWN[door](tool)));
    return { tools: shown, listed: lazy(() => membersIn(listedTools(shown))) };
  };
  return { '/mcp': behind('/mcp'), '/mcp/read': behind('/mcp/read'), '/mcp/core': behind('/mcp/core') };
}
