// A signing MCP client of the second generation: `mcpClient.mjs ORIGIN KEY_FILE CLIENT_MODULE`. Prints the results as
// JSON.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [origin, keyFile, clientModule] = process.argv.slice(2);
const { readKeyFile, signingFetch } = await import(clientModule);
const fetch = signingFetch({ baseUrl: origin, keys: await readKeyFile(keyFile) });
const mcp = new Client({ name: 'outside', version: '1.0.0' });
await mcp.connect(new StreamableHTTPClientTransport(new URL('/mcp', origin), { fetch }));
const { tools } = await mcp.listTools();
const { resources } = await mcp.listResources();
const { contents } = await mcp.readResource({ uri: resources[0].uri });
const posted = await mcp.callTool({ name: 'create_post', arguments: { title: 'From outside', body: 'b' } });
const refused = await mcp.callTool({ name: 'create_post', arguments: { title: '#', body: 'b' } });
await mcp.close();
console.log(
  JSON.stringify({
    tools: tools.length,
    resources: resources.length,
    chapter: contents[0].text.split('\n')[0],
    author: posted.structuredContent.post.author.handle,
    refusal: JSON.parse(refused.content[0].text),
  }),
);
