"""Drives the official Python SDK or FastMCP for runner/driver-session.ts: a request on each line, an outcome for each.

It works with versions 1 and 2 of the SDK, and with FastMCP 3 and 4 on top of them. Arguments: the library (mcp or
fastmcp), the era (legacy or modern), the name that answers questions, the text that answers sampling, the root that is
shown, then the URL of the server or, after `--`, the command of one.
"""

import asyncio
import json
import os
import sys
import warnings
from contextlib import asynccontextmanager

import mcp
from mcp.client.stdio import StdioServerParameters, stdio_client

try:
    import mcp_types as types
    from mcp import MCPError
except ImportError:
    import mcp.types as types
    from mcp import McpError as MCPError

# Sampling and roots are deprecated, and what this looks at.
warnings.simplefilter("ignore")
library, era, name, sampled, root, place, *command = sys.argv[1:]
is_v1 = not hasattr(mcp, "Client")
mode = "legacy" if era == "legacy" else "auto"


async def answer(context, params):
    return types.ElicitResult(action="accept", content={"name": name})


async def create_message(context, params):
    content = types.TextContent(type="text", text=sampled)
    return types.CreateMessageResult(role="assistant", model="interop", content=content)


async def list_roots(context):
    return types.ListRootsResult(roots=[types.Root(uri=root, name="interop")])


answers = {
    "elicitation_callback": answer,
    "sampling_callback": create_message,
    "list_roots_callback": list_roots,
}


def open_client():
    if library == "fastmcp":
        return open_fastmcp()
    server = place
    if place == "--":
        server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    return open_v1(server) if is_v1 else mcp.Client(server, mode=mode, **answers)


def open_fastmcp():
    import fastmcp
    from fastmcp.client.transports import StdioTransport

    async def elicit(message, response_type, params, context):
        return {"name": name}

    async def sample(messages, params, context):
        return sampled

    server = place
    if place == "--":
        server = StdioTransport(command[0], command[1:], env=dict(os.environ))
    # FastMCP 3 knows one era only.
    options = {} if is_v1 else {"mode": mode}
    return fastmcp.Client(server, roots=[root], elicitation_handler=elicit, sampling_handler=sample, **options)


@asynccontextmanager
async def open_v1(server):
    from mcp.client.streamable_http import streamable_http_client

    connection = streamable_http_client(server) if isinstance(server, str) else stdio_client(server)
    async with connection as (read, write, *_):
        async with mcp.ClientSession(read, write, **answers) as session:
            session.protocol_version = (await session.initialize()).protocolVersion
            yield session


async def request(client, method, params):
    """Makes one request; returns its result and how far it said to be."""
    progress = []

    async def note(value, total, message):
        progress.append(value)

    if library == "fastmcp":
        operations = {
            "tools/list": lambda: client.list_tools_mcp(),
            "tools/call": lambda: client.call_tool_mcp(params["name"], params["arguments"], progress_handler=note),
            "resources/read": lambda: client.read_resource_mcp(params["uri"]),
            "prompts/get": lambda: client.get_prompt_mcp(params["name"], params["arguments"]),
            "completion/complete": lambda: client.complete_mcp(
                types.PromptReference(**params["ref"]), params["argument"]
            ),
        }
    else:
        operations = {
            "tools/list": lambda: client.list_tools(),
            "tools/call": lambda: client.call_tool(params["name"], params["arguments"], progress_callback=note),
            "resources/read": lambda: client.read_resource(params["uri"]),
            "prompts/get": lambda: client.get_prompt(params["name"], params["arguments"]),
            "completion/complete": lambda: client.complete(types.PromptReference(**params["ref"]), params["argument"]),
        }
    result = await operations[method]()
    return {
        "result": result.model_dump(mode="json", by_alias=True, exclude_unset=True),
        "progress": progress,
    }


def describe(error):
    """One line for each reason, out of the groups that task groups wrap around them."""
    # Python 3.10 has no name for such a group.
    if hasattr(error, "exceptions"):
        return "\n".join(describe(inner) for inner in error.exceptions)
    return f"{type(error).__name__}: {error}"


def check_era(client):
    if library == "fastmcp" and is_v1:
        version = client.initialize_result.protocolVersion
    else:
        version = client.protocol_version
    if (version >= "2026") != (era == "modern"):
        raise RuntimeError(f"it speaks {version}")


async def serve(client):
    check_era(client)
    while line := await asyncio.to_thread(sys.stdin.readline):
        message = json.loads(line)
        try:
            outcome = await request(client, message["method"], message["params"])
        except MCPError as error:
            outcome = {"error": error.error.model_dump(mode="json", exclude_none=True)}
        except Exception as error:
            outcome = {"failure": describe(error)}
        print(json.dumps(outcome), flush=True)


async def main():
    try:
        async with open_client() as client:
            await serve(client)
    except Exception as error:
        sys.exit(describe(error))


asyncio.run(main())
