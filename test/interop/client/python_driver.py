"""Drives the official Python SDK or FastMCP for runner/driver-session.ts: a request on each line, an outcome for each.

Arguments: the library (mcp or fastmcp), the era (legacy or modern), the name that answers questions, the text that
answers sampling, then the URL of the server or, after `--`, the command of one.
"""

import asyncio
import json
import os
import sys

import mcp
import mcp_types as types
from mcp.client.stdio import StdioServerParameters

library, era, name, sampled, place, *command = sys.argv[1:]
mode = "legacy" if era == "legacy" else "auto"


def open_client():
    if library == "fastmcp":
        import fastmcp
        from fastmcp.client.transports import StdioTransport

        async def elicit(message, response_type, params, context):
            return {"name": name}

        async def sample(messages, params, context):
            return sampled

        server = place
        if place == "--":
            server = StdioTransport(command[0], command[1:], env=dict(os.environ))
        return fastmcp.Client(server, mode=mode, elicitation_handler=elicit, sampling_handler=sample)

    async def answer(context, params):
        return types.ElicitResult(action="accept", content={"name": name})

    async def create_message(context, params):
        content = types.TextContent(type="text", text=sampled)
        return types.CreateMessageResult(role="assistant", model="interop", content=content)

    server = place
    if place == "--":
        server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    return mcp.Client(server, mode=mode, elicitation_callback=answer, sampling_callback=create_message)


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


async def serve(client):
    if (client.protocol_version >= "2026") != (era == "modern"):
        raise RuntimeError(f"it speaks {client.protocol_version}")
    while line := await asyncio.to_thread(sys.stdin.readline):
        message = json.loads(line)
        try:
            outcome = await request(client, message["method"], message["params"])
        except mcp.MCPError as error:
            outcome = {"errorCode": error.error.code}
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
