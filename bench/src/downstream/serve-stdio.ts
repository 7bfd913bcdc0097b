import type { Readable, Writable } from 'node:stream'
import { LineReader } from '../wire/line-reader.ts'
import type { RpcMessage } from '../wire/protocol.ts'
import { errorAnswer, makeAnswerer } from './answer-message.ts'

/** Serves a test MCP server over the stdio transport until the input ends. */
export function serveStdio(toolCount: number, input: Readable, output: Writable): void {
  const answerMessage = makeAnswerer(toolCount)
  const reader = new LineReader((line) => {
    let message: RpcMessage
    try {
      message = JSON.parse(line.toString()) as RpcMessage
    } catch {
      output.write(`${errorAnswer(null, -32700, 'Parse error')?.join('')}\n`)
      return
    }
    const answer = answerMessage(message)
    if (!answer) return
    if (answer.every((piece) => typeof piece === 'string')) output.write(`${answer.join('')}\n`)
    else output.write(Buffer.concat([...answer.map((piece) => Buffer.from(piece)), NEWLINE]))
  })
  input.on('data', (chunk: Buffer) => reader.push(chunk))
}

const NEWLINE = Buffer.from('\n')
