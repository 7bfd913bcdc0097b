"""Legacy clients of the Python SDK, 1.x or 2.x, that make checked calls while the hub goes and comes.

usage: python_clients.py URL TOOL PATIENT PLAIN
Reads `pause`, `go` and `stop` from standard input; prints one JSON object a line.
A patient client repeats a request that did not reach the hub, since the SDK ends a session whose request fails on the way.
A plain client is the SDK as it comes: it makes no calls between `pause` and `go`.
"""

import asyncio
import datetime
import json
import sys

import mcp
from mcp.client.streamable_http import streamable_http_client

try:
    import httpx2 as httpx  # 2.x
except ImportError:
    import httpx

url, tool, patient_count, plain_count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
is_v2 = httpx.__name__ == "httpx2"
read_timeout = 15.0 if is_v2 else datetime.timedelta(seconds=15)

running = asyncio.Event()
idle = {"count": 0}
stopping = asyncio.Event()
report = {"calls": 0, "failed": 0, "wrong": 0, "sessions": 0}
rounds: dict[int, int] = {}


class PatientTransport(httpx.AsyncBaseTransport):
    def __init__(self) -> None:
        self.inner = httpx.AsyncHTTPTransport()

    async def handle_async_request(self, request):
        while True:
            try:
                response = await self.inner.handle_async_request(request)
                if response.status_code != 503:
                    return response
                await response.aclose()
            except httpx.TransportError:
                if stopping.is_set():
                    raise
            await asyncio.sleep(0.3)

    async def aclose(self) -> None:
        await self.inner.aclose()


async def client(number: int, is_patient: bool) -> None:
    transport = {"transport": PatientTransport()} if is_patient else {}
    async with httpx.AsyncClient(timeout=httpx.Timeout(30, read=300), **transport) as http:
        async with streamable_http_client(url, http_client=http) as streams:
            async with mcp.ClientSession(streams[0], streams[1]) as session:
                await session.initialize()
                report["sessions"] += 1
                count = 0
                while not stopping.is_set():
                    if not is_patient and not running.is_set():
                        idle["count"] += 1
                        await running.wait()
                        idle["count"] -= 1
                        continue
                    count += 1
                    await check(session, f"py{mcp_version()}-{number}-{count}")
                    rounds[number] = count
                    await asyncio.sleep(0.15)


async def check(session, text: str) -> None:
    while not stopping.is_set():
        try:
            result = await session.call_tool(tool, {"text": text}, read_timeout)
        except Exception as error:  # the call failed, and is made again with the same session
            report["failed"] += 1
            report["error"] = str(error)
            await asyncio.sleep(0.3)
            continue
        report["calls"] += 1
        if [getattr(part, "text", None) for part in result.content] != [text]:
            report["wrong"] += 1
            report["example"] = [text, str(result)]
        return


def mcp_version() -> str:
    return "2" if is_v2 else "1"


def say(**message) -> None:
    print(json.dumps(message), flush=True)


async def listen() -> None:
    loop = asyncio.get_running_loop()
    while True:
        line = (await loop.run_in_executor(None, sys.stdin.readline)).strip()
        if line == "pause":
            running.clear()
            while idle["count"] < plain_count:
                await asyncio.sleep(0.02)
            say(event="paused")
        elif line == "go":
            running.set()
        elif line == "rounds":
            say(event="rounds", least=min(rounds.values(), default=0), clients=len(rounds))
        elif line in ("stop", ""):
            stopping.set()
            running.set()
            return


async def main() -> None:
    total = patient_count + plain_count
    running.set()
    clients = [asyncio.create_task(client(number, number < patient_count)) for number in range(total)]
    listening = asyncio.create_task(listen())
    while report["sessions"] < total and not any(task.done() for task in clients):
        await asyncio.sleep(0.05)
    say(event="ready", sessions=report["sessions"])
    await listening
    # A session that broke shows here, and nowhere is one opened again.
    ended = await asyncio.gather(*clients, return_exceptions=True)
    broken = [repr(error)[:300] for error in ended if error is not None]
    say(event="report", **report, broken=len(broken), brokenBy=broken[:3])


asyncio.run(main())
