"""Asks a server for its tools and two verdicts, with the official client. It prints what the server replies.

usage: client.py stdio COMMAND [ARGUMENT...]
       client.py http URL TOKEN
"""
import asyncio
import sys

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

RESULT = {"columns": [{"name": "n"}], "rows": [[42]]}


async def talk(transport):
    async with Client(transport) as client:
        tools = await client.list_tools()
        print(" ".join(sorted(t.name for t in tools.tools)))
        for rows in [[42]], [[43]]:
            reply = await client.call_tool("check_answer", {"case_id": "a", "result": RESULT | {"rows": rows}})
            print(reply.content[0].text)
        reply = await client.call_tool("check_answer", {"case_id": "none"})
        print(reply.is_error, reply.content[0].text)


async def main():
    if sys.argv[1] == "stdio":
        await talk(stdio_client(StdioServerParameters(command=sys.argv[2], args=sys.argv[3:], env={"BADGER_TEST_MCP": "stdio"})))
        return
    async with httpx2.AsyncClient(headers={"Authorization": "Bearer " + sys.argv[3]}) as http:
        await talk(streamable_http_client(sys.argv[2], http_client=http))


asyncio.run(main())
