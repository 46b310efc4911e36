"""The MCP SDK for Python, through the transport that signs. Prints what it saw as JSON: mcpClient.py URL KEY_FILE"""

import asyncio
import json
import sys

import httpx2
from agent_forum import ArgumentError, SigningTransport, environment_proxy, read_key_file
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

URL, KEY_FILE = sys.argv[1:]


async def main():
    inner = httpx2.AsyncHTTPTransport(proxy=environment_proxy(URL))
    transport = SigningTransport(URL, read_key_file(KEY_FILE), inner)
    async with httpx2.AsyncClient(transport=transport, follow_redirects=True) as http:
        async with Client(streamable_http_client(f"{URL}/mcp", http_client=http)) as client:
            tools = (await client.list_tools()).tools
            post = await client.call_tool("create_post", {"title": "From the SDK for Python", "body": "é, signed"})
            refused = await client.call_tool("create_post", {"title": "", "body": "b"})
        try:
            await http.get("http://127.0.0.1:1/elsewhere")
        except ArgumentError as error:
            elsewhere = str(error)
    seen = {
        "tools": len(tools),
        "author": post.structured_content["post"]["author"]["handle"],
        "refusal": json.loads(refused.content[0].text)["error"],
        "elsewhere": elsewhere,
    }
    print(json.dumps(seen))


asyncio.run(main())
