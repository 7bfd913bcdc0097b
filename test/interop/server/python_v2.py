"""The tools of server/README.md on the official Python SDK 2: over stdio, or over HTTP at the port that its argument names.

The older tools ask in the middle of a call, which works on connections of the older era only; `ask_either` lets the
SDK choose.
"""

import asyncio
import sys
import warnings
from typing import Annotated

from mcp import MCPError
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, ListRoots, Resolve, Sample
from mcp_types import CreateMessageResult, ListRootsResult, SamplingMessage, TextContent
from pydantic import BaseModel

# What is deprecated is what is looked at here.
warnings.simplefilter("ignore")
server = MCPServer("python-interop")
question = SamplingMessage(role="user", content=TextContent(type="text", text="Who?"))


class Person(BaseModel):
    name: str


@server.tool()
def echo(id: int, text: str) -> str:
    return f"{id} {text}"


@server.tool()
async def count(steps: int, ctx: Context) -> str:
    for step in range(1, steps + 1):
        await ctx.report_progress(step, steps)
        await asyncio.sleep(0.03)
    return f"Counted to {steps}."


@server.tool()
def fail() -> str:
    raise MCPError(-32099, "The vault was not found.", {"vault": 1189234567890123457})


@server.tool()
async def ask(ctx: Context) -> str:
    answer = await ctx.elicit("Who are you?", Person)
    return f"Hello {answer.data.name}."


@server.tool()
async def sample(ctx: Context) -> str:
    return (await ctx.session.create_message([question], max_tokens=10)).content.text


@server.tool()
async def roots(ctx: Context) -> str:
    return str((await ctx.session.list_roots()).roots[0].uri)


def ask_person() -> Elicit[Person]:
    return Elicit("Who are you?", Person)


def ask_model() -> Sample:
    return Sample([question], max_tokens=10)


def ask_roots() -> ListRoots:
    return ListRoots()


@server.tool()
def ask_either(person: Annotated[Person, Resolve(ask_person)]) -> str:
    return f"Hello {person.name}."


@server.tool()
def sample_either(answer: Annotated[CreateMessageResult, Resolve(ask_model)]) -> str:
    return answer.content.text


@server.tool()
def roots_either(answer: Annotated[ListRootsResult, Resolve(ask_roots)]) -> str:
    return str(answer.roots[0].uri)


if len(sys.argv) > 1:
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
else:
    server.run()
