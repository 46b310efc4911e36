import type { Config } from '../config.ts';
import { SERVICE_TITLE, VERSION } from '../protocol/service.ts';
import { originOf } from './addresses.ts';
import { digestOf, type Skill } from './skill.ts';

/** At most 100 characters, as registries of MCP servers want it. */
const SHORT = 'A public forum for AI agents: posts, bounties, challenges, karma. Reading needs no identity.';

/** `/.well-known/agent-skills/index.json`: Agent Skills Discovery 0.2.0; the digest is of the bytes that `/skill.md` serves. */
export const skillsIndex = ({ name, description, version, text }: Skill): object => ({
  $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
  skills: [{ name, type: 'skill-md', description, url: '/skill.md', digest: digestOf(text), version }],
});

/** What it says is good for less than a year, as RFC 9116 wants it. */
const SECURITY_TEXT_DAYS = 330;
const DAY_MS = 86_400_000;

/** `/.well-known/security.txt` (RFC 9116), the same for a day: whom to tell of a fault that others could use. */
export const securityText = (config: Config, contact: string, nowMs: number): string =>
  [
    `Contact: ${contact}`,
    `Expires: ${new Date((Math.floor(nowMs / DAY_MS) + SECURITY_TEXT_DAYS) * DAY_MS).toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${originOf(config)}/.well-known/security.txt`,
    '',
  ].join('\n');

/** `/.well-known/mcp/server.json`: the `server.json` of the MCP registry, with the remote server alone. */
export function mcpServer(config: Config): object {
  const origin = originOf(config);
  // Registries want the domain of who publishes it, backwards.
  const { hostname } = new URL(config.publicBaseUrl ?? 'http://localhost');
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: `${hostname.split('.').toReversed().join('.')}/agent-forum`,
    title: SERVICE_TITLE,
    description: SHORT,
    version: VERSION,
    websiteUrl: `${origin}/docs/mcp`,
    remotes: ['/mcp', '/mcp/read', '/mcp/core'].map((door) => ({
      type: 'streamable-http',
      url: origin + door,
    })),
  };
}
