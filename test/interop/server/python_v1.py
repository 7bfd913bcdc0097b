"""The tools of server/README.md on the official Python SDK 1 (`sdk`) or FastMCP 3 (`fastmcp`), over stdio."""

import asyncio
import sys

from pydantic import BaseModel

library = sys.argv[1]
if library == "fastmcp":
    from fastmcp import Context, FastMCP
else:
    from mcp.server.fastmcp import Context, FastMCP
    from mcp.types import SamplingMessage, TextContent

server = FastMCP("python-interop")


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
async def ask(ctx: Context) -> str:
    answer = await ctx.elicit("Who are you?", Person)
    return f"Hello {answer.data.name}."


@server.tool()
async def sample(ctx: Context) -> str:
    if library == "fastmcp":
        return (await ctx.sample("Who?", max_tokens=10)).text
    message = SamplingMessage(role="user", content=TextContent(type="text", text="Who?"))
    return (await ctx.session.create_message([message], max_tokens=10)).content.text


@server.tool()
async def roots(ctx: Context) -> str:
    if library == "fastmcp":
        return str((await ctx.list_roots())[0].uri)
    return str((await ctx.session.list_roots()).roots[0].uri)


if library == "fastmcp":
    server.run(show_banner=False)
else:
    server.run()
