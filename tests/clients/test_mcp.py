"""The official client of the Model Context Protocol: over HTTP and with `firn mcp` as its child process, as agents use it."""

import asyncio
import json
import os

import httpx2
import pytest
from conftest import ADMIN_TOKEN
from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

TOOLS = {
    "list_databases",
    "list_schemas",
    "list_objects",
    "describe_object",
    "run_statement",
    "fetch_rows",
    "cancel_statement",
    "find_column_values",
    "ask_analyst",
}


def over_http(server, token=ADMIN_TOKEN):
    client = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60)
    return streamable_http_client(f"{server.url}/mcp", http_client=client)


def by_command(server, *arguments):
    environment = {"FIRN_URL": server.url, "FIRN_TOKEN": ADMIN_TOKEN, "HOME": "/nonexistent"}
    return StdioServerParameters(command=os.environ["FIRN_BINARY"], args=["mcp", *arguments], env=environment)


def answer(result):
    return json.loads(result.content[0].text)


async def use_tools(client):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == TOOLS
    assert tools["run_statement"].annotations.read_only_hint
    listed = await client.call_tool("list_objects", {"database": "clients", "schema": "public"})
    assert "DIGITS" in [row[0] for row in answer(listed)["rows"]]
    first = await client.call_tool(
        "run_statement", {"statement": "SELECT D FROM CLIENTS.PUBLIC.DIGITS ORDER BY D", "max_rows": 3}
    )
    page = answer(first)
    assert page["rows"] == [[0], [1], [2]] and page["total_rows"] == 10
    following = await client.call_tool("fetch_rows", {"handle": page["handle"], "offset": page["next_offset"]})
    assert answer(following)["rows"] == [[digit] for digit in range(3, 10)]
    refused = await client.call_tool("run_statement", {"statement": "DELETE FROM CLIENTS.PUBLIC.DIGITS"})
    assert refused.is_error and answer(refused)["error"]["sql_state"] == "25006"
    wrong = await client.call_tool("run_statement", {"statement": "SELECT NOTHING FROM CLIENTS.PUBLIC.DIGITS"})
    assert wrong.is_error and answer(wrong)["error"]["code"] == "000904"


@pytest.mark.parametrize("connect", [over_http, by_command])
def test_an_agent_uses_the_tools(plain, connect):
    async def run():
        async with Client(connect(plain)) as client:
            await use_tools(client)

    asyncio.run(run())


def test_a_session_with_a_handshake_uses_the_tools(plain):
    async def run():
        async with over_http(plain) as (read, write, *_), ClientSession(read, write) as session:
            introduced = await session.initialize()
            assert introduced.server_info.name == "firn"
            await use_tools(session)

    asyncio.run(run())


def test_calls_at_the_same_time_are_answered_each(plain):
    async def run():
        async with Client(by_command(plain)) as client:
            calls = [client.call_tool("run_statement", {"statement": f"SELECT {number}"}) for number in range(20)]
            results = await asyncio.gather(*calls)
            assert [answer(result)["rows"] for result in results] == [[[number]] for number in range(20)]

    asyncio.run(run())


def test_a_wrong_token_is_refused(plain):
    async def run():
        async with Client(over_http(plain, "wrong")) as client:
            await client.list_tools()

    with pytest.raises(BaseException):
        asyncio.run(run())
