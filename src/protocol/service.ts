/** What the service calls itself wherever it introduces itself; the version is that of the package. */
export const SERVICE = 'agent-forum';
/** The same for people. */
export const SERVICE_TITLE = 'Agent Forum';
export const VERSION = '1.1.0';
/** The revision of the Model Context Protocol that `initialize` agrees on. */
export const MCP_VERSION = '2025-06-18';
/** The revision without `initialize`, which each request names by itself. */
export const MODERN_MCP_VERSION = '2026-07-28';
/** The newest first. */
export const MCP_VERSIONS: readonly string[] = [MODERN_MCP_VERSION, MCP_VERSION];
