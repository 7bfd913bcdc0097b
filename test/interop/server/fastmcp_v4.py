"""The tools of server/README.md on FastMCP 4: over stdio, or over HTTP at the port that its argument names.

It has neither sampling nor roots any more. `ask_either` is its guard pattern: return the question, be called again.
"""

import asyncio
import sys

import mcp_types as types
from fastmcp import Context, FastMCP
from pydantic import BaseModel

server = FastMCP("fastmcp-interop")


class Person(BaseModel):
    name: str


@server.tool
def echo(id: int, text: str) -> str:
    return f"{id} {text}"


@server.tool
async def count(steps: int, ctx: Context) -> str:
    for step in range(1, steps + 1):
        await ctx.report_progress(step, steps)
        await asyncio.sleep(0.03)
    return f"Counted to {steps}."


@server.tool
async def ask(ctx: Context) -> str:
    answer = await ctx.elicit("Who are you?", Person)
    return f"Hello {answer.data.name}."


@server.tool
async def ask_either(ctx: Context) -> str | types.InputRequiredResult:
    if ctx.input_responses:
        return f"Hello {ctx.input_responses['who'].content['name']}."
    params = types.ElicitRequestFormParams(message="Who are you?", requested_schema=Person.model_json_schema())
    return types.InputRequiredResult(input_requests={"who": types.ElicitRequest(params=params)})


if len(sys.argv) > 1:
    server.run("http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False)
else:
    server.run(show_banner=False)
