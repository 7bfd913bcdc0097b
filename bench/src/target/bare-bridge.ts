// The bare bridge from HTTP to one stdio server as a process: bare-bridge.js PORT COMMAND ARGS…
// Several clients share the pipe, so the one thing it must understand is the id. It answers no method itself.
import { spawn } from 'node:child_process'
import { createServer, type ServerResponse } from 'node:http'
import { LineReader } from '../wire/line-reader.ts'
import type { RpcMessage } from '../wire/protocol.ts'

const [port, command, ...args] = process.argv.slice(2)
const server = spawn(command as string, args, { stdio: ['pipe', 'pipe', 'inherit'] })
const waiting = new Map<number, { response: ServerResponse; id: RpcMessage['id'] }>()
let lastId = 0

const reader = new LineReader((line) => {
  const message = JSON.parse(line.toString()) as RpcMessage
  const request = waiting.get(Number(message.id))
  if (!request) return
  waiting.delete(Number(message.id))
  message.id = request.id
  const body = Buffer.from(JSON.stringify(message))
  request.response.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(body.length)])
  request.response.end(body)
})
server.stdout.on('data', (chunk: Buffer) => reader.push(chunk))
server.on('exit', () => process.exit(1))

createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const message = JSON.parse(Buffer.concat(chunks).toString()) as RpcMessage
    if (message.id === undefined) response.writeHead(202).end()
    else {
      const id = ++lastId
      waiting.set(id, { response, id: message.id })
      response.on('close', () => waiting.delete(id))
      message.id = id
    }
    server.stdin.write(`${JSON.stringify(message)}\n`)
  })
}).listen(Number(port), '127.0.0.1')

process.on('SIGTERM', () => {
  server.kill()
  process.exit(0)
})
