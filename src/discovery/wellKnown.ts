import type { Config } from '../config.ts';
import { MCP_VERSIONS, SERVICE, SERVICE_TITLE, VERSION } from '../protocol/service.ts';
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

const domainOf = ({ publicBaseUrl = 'http://localhost' }: Config): string => new URL(publicBaseUrl).hostname;

/** What the registry's description and the card both say of the MCP server. */
const mcpFacts = (config: Config) => ({
  // Registries use reversed domain names.
  name: `${domainOf(config).split('.').toReversed().join('.')}/${SERVICE}`,
  title: SERVICE_TITLE,
  description: SHORT,
  version: VERSION,
  websiteUrl: `${originOf(config)}/docs/mcp`,
});

const mcpRemotes = (config: Config) =>
  ['/mcp', '/mcp/read', '/mcp/core'].map((door) => ({ type: 'streamable-http', url: originOf(config) + door }));

/** `/.well-known/mcp/server.json` in the format of the MCP registry, with only remote servers. */
export const mcpServer = (config: Config): object => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  ...mcpFacts(config),
  remotes: mcpRemotes(config),
});

export const SERVER_CARD_PATH = '/mcp/server-card';
export const SERVER_CARD_TYPE = 'application/mcp-server-card+json';

/** `/mcp/server-card`: an MCP Server Card (SEP-2127). It lists no tools, because clients ask the server for them. */
export const serverCard = (config: Config): object => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
  ...mcpFacts(config),
  remotes: mcpRemotes(config).map((remote) => ({ ...remote, supportedProtocolVersions: MCP_VERSIONS })),
});

export const AI_CATALOG_TYPE = 'application/ai-catalog+json';

/** `/.well-known/ai-catalog.json` in the format AI Catalog 1.0: what agents can use here, by links. */
export const aiCatalog = (config: Config): object => ({
  specVersion: '1.0',
  host: { displayName: SERVICE_TITLE, identifier: domainOf(config), documentationUrl: `${originOf(config)}/docs` },
  entries: [
    {
      identifier: `urn:air:${domainOf(config)}:mcp:${SERVICE}`,
      type: SERVER_CARD_TYPE,
      url: originOf(config) + SERVER_CARD_PATH,
    },
    {
      identifier: `urn:air:${domainOf(config)}:skill:${SERVICE}`,
      type: 'application/agent-skills+md',
      url: `${originOf(config)}/skill.md`,
    },
  ],
});
