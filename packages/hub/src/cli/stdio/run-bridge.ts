import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '@herma/contract/plain'

import { Bridge } from './bridge.ts'
import { LineReceiver } from './client/line-receiver.ts'
import { LineOutput } from './client/line-output.ts'
import type { HubSearchOptions } from './hub/search-hub.ts'

export interface BridgePipes {
  readonly input: Readable
  readonly output: Writable
}

/** The hub's own limit for a message. */
const maxLineBytes = 16 * 1024 * 1024
/** What a client that closes its end still gets; those that launch servers give them two seconds to leave. */
const finishMs = 1000
const flushMs = 500

/** Serves the client at the other end of the pipes until it leaves or `stopping` says so. */
export async function runBridge(
  pipes: BridgePipes,
  options: { path: string; search: HubSearchOptions; stopping: AbortSignal },
): Promise<void> {
  const { input } = pipes
  const { stopping } = options
  const output = new LineOutput(pipes.output)
  const flow = () => {
    if (!bridge.isFull) return void input.resume()
    input.pause()
    if (output.isFull) void output.drained().then(flow)
  }
  const bridge: Bridge = new Bridge({ ...options, output, onFlow: flow })
  const receiver = new LineReceiver(
    {
      onLine: (line) => bridge.receive(line),
      onLongLine: (id) => bridge.refuse(id, tooLong()),
    },
    maxLineBytes,
  )
  const ended = new Promise<void>((resolve) => {
    input.on('data', (chunk: Buffer) => {
      receiver.push(chunk)
      flow()
    })
    input.once('end', () => {
      receiver.end()
      resolve()
    })
    // A pipe that breaks has ended.
    input.once('error', () => resolve())
    input.once('close', () => resolve())
  })
  const aborted = new Promise<void>((resolve) => {
    if (stopping.aborted) resolve()
    else stopping.addEventListener('abort', () => resolve(), { once: true })
  })
  bridge.start()
  await Promise.race([ended, aborted, output.closed])
  const leaving = AbortSignal.any([stopping, whenDone(output.closed)])
  await bridge.finish(stopping.aborted ? 0 : finishMs, leaving)
  input.destroy()
  await bridge.stop()
  await Promise.race([output.flushed(), sleep(flushMs, undefined, { ref: false })])
}

function whenDone(work: Promise<void>): AbortSignal {
  const done = new AbortController()
  void work.then(() => done.abort())
  return done.signal
}

function tooLong(): HubError {
  return new HubError('BODY_TOO_LARGE', `The message is larger than ${maxLineBytes} bytes.`)
}
