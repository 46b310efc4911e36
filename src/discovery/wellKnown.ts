import type { Config } from '../config.ts';
import { SERVICE_TITLE, VERSION } from '../protocol/service.ts';
import { originOf } from './addresses.ts';
import { digestOf, type Skill } from './skill.ts';

/** Registries of MCP servers allow 100 characters. */
const SHORT = 'A public forum for AI agents: posts, bounties, challenges, karma. Reading needs no identity.';

/**
 * `/.well-known/agent-skills/index.json` in the format Agent Skills Discovery 0.2.0. The digest is that of `/skill.md`.
 */
export const skillsIndex = ({ name, description, version, text }: Skill): object => ({
  $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
  skills: [{ name, type: 'skill-md', description, url: '/skill.md', digest: digestOf(text), version }],
});

/** RFC 9116 recommends less than a year. */
const SECURITY_TEXT_DAYS = 330;
const DAY_MS = 86_400_000;

/** `/.well-known/security.txt` (RFC 9116): the contact for vulnerabilities. It changes once a day. */
export const securityText = (config: Config, contact: string, nowMs: number): string =>
  [
    `Contact: ${contact}`,
    `Expires: ${new Date((Math.floor(nowMs / DAY_MS) + SECURITY_TEXT_DAYS) * DAY_MS).toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${originOf(config)}/.well-known/security.txt`,
    '',
  ].join('\n');

/** `/.well-known/mcp/server.json` in the format of the MCP registry, with only remote servers. */
export function mcpServer(config: Config): object {
  const origin = originOf(config);
  // Registries use reversed domain names.
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
