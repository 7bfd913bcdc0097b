// A stdio server that looks for what it should not find. Its tools read files, run commands, and tell what it was given.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createInterface } from 'node:readline'

const tools = {
  read: ({ path }) => readFileSync(path, 'utf8'),
  list: ({ path }) => readdirSync(path).join(' '),
  shell: ({ script }) => {
    const { stdout, stderr } = spawnSync('/bin/sh', ['-c', script], { encoding: 'utf8' })
    return stdout + stderr
  },
  environment: () => JSON.stringify(process.env),
  descriptors: () =>
    readdirSync('/proc/self/fd')
      .map((id) => {
        try {
          return readlinkSync(`/proc/self/fd/${id}`)
        } catch {
          return ''
        }
      })
      .join('\n'),
  user: () => `${process.getuid()} ${process.getgid()} ${process.getgroups().join(',')}`,
}

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'burglar', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })) }),
  'tools/call': ({ name, arguments: args = {} }) => {
    try {
      return { content: [{ type: 'text', text: tools[name](args) }] }
    } catch (error) {
      return { content: [{ type: 'text', text: String(error) }], isError: true }
    }
  },
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined) return
  const answer = Object.hasOwn(methods, method)
    ? { result: methods[method](params) }
    : { error: { code: -32_601, message: `Method not found: ${method}` } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
})
