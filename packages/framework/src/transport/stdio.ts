import { emit } from '../telemetry/events.ts'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { errorCode } from '../protocol/errors.ts'
import { errorMessage } from '../protocol/message.ts'
import type { Host } from '../host/host.ts'
import type { Running } from '../supervise/running.ts'
import { jsonProblem } from '../wire/json-problem.ts'
import { isBlank, LineReader } from '../wire/line-reader.ts'
import { isNestedTooDeep } from '../wire/nesting.ts'
import { Channel } from './channel.ts'

/** How a server is served on pipes; those of the process unless said otherwise. */
export interface StdioOptions {
  readonly input?: NodeJS.ReadableStream
  readonly output?: NodeJS.WritableStream
  /** Longer lines are answered with an error and skipped; 16 MB unless said otherwise. */
  readonly maxMessageBytes?: number
}

/** Serves one client on standard input and output: one JSON message a line. */
export async function serveStdio(host: Host, options: StdioOptions = {}): Promise<Running> {
  const { input = process.stdin, output = process.stdout, maxMessageBytes = 16 * 1024 * 1024 } = options
  const at = { server: host.info.name, kind: 'stdio' as const }
  let isClosed = false
  let settle: () => void = () => {}
  const done = new Promise<void>((resolve) => (settle = resolve))

  let isFull = false
  const write = (message: JSONRPCMessage | readonly JSONRPCMessage[]) => {
    if (isClosed || output.write(`${JSON.stringify(message)}\n`) || isFull) return
    // A client that does not read its answers is not read either, so that they do not pile up.
    isFull = true
    input.pause()
    output.once('drain', () => {
      isFull = false
      if (!isClosed) input.resume()
    })
  }
  const ended = host.began()
  const channel = new Channel(host, { kind: 'stdio', write })
  const refuse = (code: number, text: string) => write(errorMessage(null, code, text))
  const reader = new LineReader((line) => receiveLine(line, channel, refuse), maxMessageBytes, {
    onGrow: () => {},
    onEnd: () => refuse(errorCode.invalidRequest, `A message has at most ${maxMessageBytes} bytes.`),
  })
  const stop = async (reason: 'client' | 'shutdown') => {
    if (isClosed) return
    input.off('data', onData)
    await channel.close(reason)
    isClosed = true
    input.pause()
    emit('mcp.transport.close', () => at)
    await ended()
    settle()
  }
  const onData = (chunk: Buffer | string) => reader.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  input.on('data', onData)
  input.once('end', () => void stop('client'))
  input.once('close', () => void stop('client'))
  // The client closed its end, or the pipe broke: nobody is left to answer.
  const onBroken = (error: unknown) => {
    emit('mcp.transport.error', () => ({ ...at, error }))
    void stop('client')
  }
  input.on('error', onBroken)
  output.on('error', onBroken)
  emit('mcp.transport.open', () => at)
  return {
    done,
    health: () => ({ status: isClosed ? 'down' : 'up', connections: host.connections.size, inFlight: host.inFlight }),
    drain: (ms = 5000) => drain(host, ms),
    stop: () => stop('shutdown'),
  }
}

function receiveLine(line: Buffer, channel: Channel, refuse: (code: number, text: string) => void): void {
  if (isBlank(line)) return
  if (isNestedTooDeep(line)) return refuse(errorCode.invalidRequest, 'The message is nested too deep.')
  let value: unknown
  try {
    value = JSON.parse(line.toString('utf8'))
  } catch (error) {
    return refuse(errorCode.parse, `Parse error: ${jsonProblem(error)}`)
  }
  channel.receive(value)
}

/** Waits until nothing is under way, at most so long. */
async function drain(host: Host, ms: number): Promise<void> {
  const until = Date.now() + ms
  while (host.inFlight > 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 10))
}
