"""A conformance server on the Python SDK 2, which speaks both eras at one URL. What it offers is what the suite asks for.

Like servers of real people, it asks legacy clients in the middle of a call (`elicit`, `create_message`) and modern ones
by returning what it needs.
"""

import asyncio
import base64
import json
import socket
from typing import Annotated, Any

import uvicorn
from mcp.server.mcpserver import Context, MCPServer, RequestStateSecurity
from mcp.server.mcpserver.prompts.base import Prompt, UserMessage
from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp.shared.exceptions import MCPError
from mcp import types
from pydantic import BaseModel, Field

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SOUND = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
WATCHED = "test://watched-resource"

mcp = MCPServer(
    name="python-conformance",
    version="1.0.0",
    request_state_security=RequestStateSecurity(keys=[b"the key of a conformance server, 32+"]),
)


def text(words: str) -> types.TextContent:
    return types.TextContent(type="text", text=words)


def image() -> types.ImageContent:
    return types.ImageContent(type="image", data=PIXEL, mime_type="image/png")


def embedded(uri: str, kind: str, words: str) -> types.EmbeddedResource:
    contents = types.TextResourceContents(uri=uri, mime_type=kind, text=words)
    return types.EmbeddedResource(type="resource", resource=contents)


# Tools that answer by themselves.


@mcp.tool()
def test_simple_text() -> str:
    """Answers with one text."""
    return "This is a simple text response for testing."


@mcp.tool()
def test_image_content() -> list[types.ImageContent]:
    """Answers with an image."""
    return [image()]


@mcp.tool()
def test_audio_content() -> list[types.AudioContent]:
    """Answers with a sound."""
    return [types.AudioContent(type="audio", data=SOUND, mime_type="audio/wav")]


@mcp.tool()
def test_embedded_resource() -> list[types.EmbeddedResource]:
    """Answers with an embedded resource."""
    return [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")]


@mcp.tool()
def test_multiple_content_types() -> list[types.TextContent | types.ImageContent | types.EmbeddedResource]:
    """Answers with text, image and resource."""
    mixed = embedded("test://mixed-content-resource", "application/json", json.dumps({"test": "data", "value": 123}))
    return [text("Multiple content types test:"), image(), mixed]


@mcp.tool()
def test_error_handling() -> str:
    """Always fails."""
    raise RuntimeError("This tool intentionally returns an error for testing")


async def log_three_times(ctx: Context) -> str:
    """Logs three times while it works."""
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.info(words)
        await asyncio.sleep(0.05)
    return "Logged three messages."


for log_name in ("test_tool_with_logging", "test_logging_tool"):
    mcp.add_tool(log_three_times, name=log_name)


@mcp.tool()
async def test_tool_with_progress(ctx: Context) -> str:
    """Reports progress three times."""
    for progress in (0, 50, 100):
        await ctx.report_progress(progress=progress, total=100)
        await asyncio.sleep(0.05)
    return "Reported progress three times."


# Tools that ask in the middle of a call.


@mcp.tool()
async def test_sampling(prompt: str, ctx: Context) -> str:
    """Asks the model."""
    message = types.SamplingMessage(role="user", content=text(prompt))
    result = await ctx.session.create_message(
        messages=[message], max_tokens=100, related_request_id=ctx.request_id
    )
    return f"LLM response: {result.content.text if result.content.type == 'text' else ''}"


class Person(BaseModel):
    username: str = Field(description="User's response")
    email: str = Field(description="User's email address")


class Defaults(BaseModel):
    name: str = "John Doe"
    age: int = 30
    score: float = 95.5
    status: str = Field(default="active", json_schema_extra={"enum": ["active", "inactive", "pending"]})
    verified: bool = True


def titled(noun: str) -> list[dict[str, str]]:
    ranks = ("First", "Second", "Third")
    return [{"const": f"value{index}", "title": f"{rank} {noun}"} for index, rank in enumerate(ranks, 1)]


OPTIONS = ["option1", "option2", "option3"]


class Choices(BaseModel):
    untitledSingle: str = Field(json_schema_extra={"enum": OPTIONS})
    titledSingle: str = Field(json_schema_extra={"oneOf": titled("Option")})
    legacyEnum: str = Field(
        json_schema_extra={
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        }
    )
    untitledMulti: list[str] = Field(json_schema_extra={"items": {"type": "string", "enum": OPTIONS}})
    titledMulti: list[str] = Field(json_schema_extra={"items": {"anyOf": titled("Choice")}})


async def ask_person(ctx: Context, message: str, form: type[BaseModel], label: str) -> str:
    answer = await ctx.elicit(message=message, schema=form)
    content = answer.data.model_dump_json() if answer.action == "accept" else "{}"
    return f"{label}: action={answer.action}, content={content}"


@mcp.tool()
async def test_elicitation(message: str, ctx: Context) -> str:
    """Asks who you are."""
    return await ask_person(ctx, message, Person, "User response")


@mcp.tool()
async def test_elicitation_sep1034_defaults(ctx: Context) -> str:
    """Asks with a form that has a default for every field."""
    return await ask_person(ctx, "Please fill in the form.", Defaults, "Elicitation completed")


@mcp.tool()
async def test_elicitation_sep1330_enums(ctx: Context) -> str:
    """Asks with a form that has every kind of choice."""
    return await ask_person(ctx, "Please choose.", Choices, "Elicitation completed")


# Tools that return what they need, and are called again.


def form_question(message: str, field: str, kind: str = "string") -> types.ElicitRequest:
    schema = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


def model_question(prompt: str, max_tokens: int) -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=text(prompt))
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(messages=[message], max_tokens=max_tokens)
    )


NAME = form_question("What is your name?", "name")


def answers_of(ctx: Context) -> dict[str, Any]:
    return dict(ctx.input_responses or {})


@mcp.tool()
async def test_input_required_result_elicitation(ctx: Context) -> str | types.InputRequiredResult:
    """Asks your name."""
    answer = answers_of(ctx).get("user_name")
    if isinstance(answer, types.ElicitResult) and answer.content:
        return f"Hello, {answer.content.get('name')}!"
    return types.InputRequiredResult(input_requests={"user_name": NAME})


@mcp.tool()
async def test_streaming_elicitation(ctx: Context) -> str | types.InputRequiredResult:
    """Asks with a form, and nothing else may come on its stream."""
    if "form" in answers_of(ctx):
        return "The form came."
    return types.InputRequiredResult(input_requests={"form": NAME})


@mcp.tool()
async def test_input_required_result_sampling(ctx: Context) -> str | types.InputRequiredResult:
    """Asks the model for a capital."""
    answer = answers_of(ctx).get("capital_question")
    if isinstance(answer, types.CreateMessageResult):
        return f"LLM response: {answer.content}"
    question = model_question("What is the capital of France?", 100)
    return types.InputRequiredResult(input_requests={"capital_question": question})


@mcp.tool()
async def test_input_required_result_list_roots(ctx: Context) -> str | types.InputRequiredResult:
    """Asks for your roots."""
    answer = answers_of(ctx).get("client_roots")
    if isinstance(answer, types.ListRootsResult):
        return f"Roots: {', '.join(str(root.uri) for root in answer.roots)}"
    return types.InputRequiredResult(input_requests={"client_roots": types.ListRootsRequest()})


async def confirm(ctx: Context) -> str | types.InputRequiredResult:
    """Asks to confirm and remembers that it asked."""
    if ctx.request_state == "confirm" and "confirm" in answers_of(ctx):
        return "state-ok"
    question = form_question("Please confirm", "ok", "boolean")
    return types.InputRequiredResult(input_requests={"confirm": question}, request_state="confirm")


for confirm_name in ("test_input_required_result_request_state", "test_input_required_result_tampered_state"):
    mcp.add_tool(confirm, name=confirm_name)


@mcp.tool()
async def test_input_required_result_multiple_inputs(ctx: Context) -> str | types.InputRequiredResult:
    """Asks three things at once."""
    questions = {
        "user_name": NAME,
        "greeting": model_question("Generate a greeting", 50),
        "client_roots": types.ListRootsRequest(),
    }
    if questions.keys() <= answers_of(ctx).keys():
        return "All three answers came."
    return types.InputRequiredResult(input_requests=questions, request_state="all")


@mcp.tool()
async def test_input_required_result_multi_round(ctx: Context) -> str | types.InputRequiredResult:
    """Asks twice."""
    answers = answers_of(ctx)
    if ctx.request_state == "two" and "step2" in answers:
        return "Both answers came."
    if ctx.request_state == "one" and "step1" in answers:
        color = form_question("Step 2: What is your favorite color?", "color")
        return types.InputRequiredResult(input_requests={"step2": color}, request_state="two")
    return types.InputRequiredResult(input_requests={"step1": NAME}, request_state="one")


@mcp.tool()
async def test_input_required_result_capabilities(ctx: Context) -> str | types.InputRequiredResult:
    """Asks what you can answer."""
    can = ctx.client_capabilities
    questions: dict[str, Any] = {}
    if can is not None and can.elicitation is not None:
        questions["user_name"] = NAME
    if can is not None and can.sampling is not None:
        questions["greeting"] = model_question("Generate a greeting", 50)
    if questions.keys() <= answers_of(ctx).keys():
        return "Nothing more to ask."
    return types.InputRequiredResult(input_requests=questions, request_state="asked")


@mcp.tool()
async def test_missing_capability(ctx: Context) -> str:
    """Needs sampling."""
    can = ctx.session.client_capabilities
    if can is not None and can.sampling is not None:
        return "The client can sample."
    raise MCPError(
        code=types.MISSING_REQUIRED_CLIENT_CAPABILITY,
        message="The client cannot sample.",
        data={"requiredCapabilities": {"sampling": {}}},
    )


# Tools about the wire itself.


@mcp.tool()
def test_header_parameter(
    region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})] = "",
) -> str:
    """Its region is mirrored in a header."""
    return f"region={region}"


@mcp.tool()
def json_schema_2020_12_tool() -> str:
    """Its schema uses the whole vocabulary."""
    return "It does."


# The SDK has no public way to give a tool a schema.
mcp._tool_manager._tools["json_schema_2020_12_tool"].parameters = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


@mcp.tool()
async def test_reconnection(ctx: Context) -> str:
    """Closes its stream before it answers."""
    await ctx.close_sse_stream()
    await asyncio.sleep(0.2)
    return "The answer came after the stream was closed."


def extra() -> str:
    """Is there only sometimes."""
    return "Here I am."


there: set[str] = set()


@mcp.tool()
async def test_trigger_tool_change(ctx: Context) -> str:
    """Adds or removes a tool."""
    if "tool" in there:
        mcp.remove_tool("test_extra_tool")
    else:
        mcp.add_tool(extra, name="test_extra_tool")
    there.symmetric_difference_update({"tool"})
    await ctx.notify_tools_changed()
    return "The list of tools changed."


@mcp.tool()
async def test_trigger_prompt_change(ctx: Context) -> str:
    """Adds or removes a prompt."""
    if "prompt" in there:
        mcp.remove_prompt("test_extra_prompt")
    else:
        mcp.add_prompt(Prompt.from_function(extra, name="test_extra_prompt"))
    there.symmetric_difference_update({"prompt"})
    await ctx.notify_prompts_changed()
    return "The list of prompts changed."


# Resources, prompts, and what the high-level server does not offer by itself.


@mcp.resource("test://static-text")
def static_text() -> str:
    """A text."""
    return "This is the content of the static text resource."


@mcp.resource("test://static-binary")
def static_binary() -> bytes:
    """A picture."""
    return base64.b64decode(PIXEL)


@mcp.resource(WATCHED)
def watched() -> str:
    """Can be watched."""
    return "Edition 1."


@mcp.resource("test://template/{id}/data")
def template(id: str) -> str:
    """A template."""
    return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


@mcp.prompt()
def test_simple_prompt() -> list[UserMessage]:
    """Has no arguments."""
    return [UserMessage(role="user", content=text("This is a simple prompt for testing."))]


@mcp.prompt()
def test_prompt_with_arguments(arg1: str, arg2: str) -> list[UserMessage]:
    """Has two arguments."""
    return [UserMessage(role="user", content=text(f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"))]


@mcp.prompt()
def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage]:
    """Embeds a resource."""
    resource = embedded(resourceUri, "text/plain", "Embedded resource content for testing.")
    request = text("Please process the embedded resource above.")
    return [UserMessage(role="user", content=content) for content in (resource, request)]


@mcp.prompt()
def test_prompt_with_image() -> list[UserMessage]:
    """Shows a picture."""
    request = text("Please analyze the image above.")
    return [UserMessage(role="user", content=content) for content in (image(), request)]


@mcp.prompt()
async def test_input_required_result_prompt(ctx: Context) -> list[UserMessage] | types.InputRequiredResult:
    """Asks for context."""
    answer = answers_of(ctx).get("user_context")
    if isinstance(answer, types.ElicitResult) and answer.content:
        return [UserMessage(role="user", content=text(f"Context: {answer.content.get('context')}"))]
    question = form_question("What context should the prompt use?", "context")
    return types.InputRequiredResult(input_requests={"user_context": question})


@mcp.completion()
async def complete(ref: Any, argument: types.CompletionArgument, context: Any) -> types.Completion:
    values = [city for city in ("paris", "parma", "porto") if city.startswith(argument.value)]
    return types.Completion(values=values, total=len(values), has_more=False)


async def accept(ctx: Any, params: Any) -> types.EmptyResult:
    return types.EmptyResult()


for method, shape in {
    "logging/setLevel": types.SetLevelRequestParams,
    "resources/subscribe": types.SubscribeRequestParams,
    "resources/unsubscribe": types.UnsubscribeRequestParams,
}.items():
    mcp._lowlevel_server.add_request_handler(method, shape, accept)


class EventLog(EventStore):
    """Keeps what was sent, so that a client can come back for it."""

    def __init__(self) -> None:
        self._events: list[tuple[str, Any]] = []

    async def store_event(self, stream_id: str, message: Any) -> str:
        self._events.append((stream_id, message))
        return str(len(self._events))

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        last = int(last_event_id)
        if not 0 < last <= len(self._events):
            return None
        stream = self._events[last - 1][0]
        for number, (stream_id, message) in enumerate(self._events[last:], last + 1):
            if stream_id == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


if __name__ == "__main__":
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
    app = mcp.streamable_http_app(event_store=EventLog(), retry_interval=100)
    print(json.dumps({"url": url, "tasksUrl": url}), flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
