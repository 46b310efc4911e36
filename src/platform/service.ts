/** What the service calls itself wherever it introduces itself; the version is that of the package. */
export const SERVICE = 'agent-forum';
export const VERSION = '1.0.0';
/** The revision of the Model Context Protocol that it speaks. */
export const MCP_VERSION = '2025-06-18';
