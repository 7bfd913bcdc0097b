// A stdio server of 2025-11-25 with something worth stealing in every place that a client can reach.
import { createInterface } from 'node:readline'

const [name] = process.argv.slice(2)
const text = (value) => ({ content: [{ type: 'text', text: value }] })
const tool = (title, annotations = {}) => ({ name: title, inputSchema: { type: 'object' }, annotations })

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} },
    serverInfo: { name, version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [tool('look', { readOnlyHint: true }), tool('open'), tool('echo'), tool('ask')] }),
  'tools/call': ({ name: called, arguments: args }) =>
    text(called === 'look' ? 'looked' : called === 'open' ? 'opened' : JSON.stringify(args)),
  'resources/list': () => ({ resources: [{ uri: `${name}://gold`, name: 'gold' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/read': ({ uri }) => {
    if (!uri.startsWith(`${name}://`)) throw { code: -32_002, message: 'Resource not found' }
    return { contents: [{ uri, text: `gold in ${name}` }] }
  },
  'resources/subscribe': () => ({}),
  'resources/unsubscribe': () => ({}),
  'prompts/list': () => ({ prompts: [{ name: 'greet', arguments: [{ name: 'a' }] }] }),
  'prompts/get': () => ({ messages: [{ role: 'user', content: { type: 'text', text: `hello of ${name}` } }] }),
  'completion/complete': () => ({ completion: { values: [`completed by ${name}`] } }),
  'vendor/secret': () => ({ secret: `secret of ${name}` }),
}

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const waiting = new Map()

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {}, result } = JSON.parse(line)
  if (method === undefined) return waiting.get(id)?.(result)
  if (id === undefined) return
  if (method === 'tools/call' && params.name === 'ask') return ask(id, params.arguments?.times ?? 1)
  try {
    if (!Object.hasOwn(methods, method)) throw { code: -32_601, message: `Method not found: ${method}` }
    send({ id, result: methods[method](params) })
  } catch (error) {
    send({ id, error })
  }
})

/** Answers with what its client answered last. */
function ask(id, times) {
  const question = `question-${id}-${times}`
  waiting.set(question, (result) => {
    if (times > 1) return ask(id, times - 1)
    send({ id, result: text(`${name} heard ${JSON.stringify(result?.content)}`) })
  })
  const requestedSchema = { type: 'object', properties: { pin: { type: 'string' } } }
  send({ id: question, method: 'elicitation/create', params: { message: 'Your PIN?', requestedSchema } })
}
