// The tools of server/README.md on the official TypeScript SDK 2, over stdio.
import { setTimeout as sleep } from 'node:timers/promises'
import { acceptedContent, fromJsonSchema, inputRequired, McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const form = {
  message: 'Who are you?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
}

serveStdio(() => {
  const server = new McpServer({ name: 'typescript-interop', version: '1.0.0' })
  const add = (name, properties, work) =>
    server.registerTool(name, { description: name, inputSchema: fromJsonSchema({ type: 'object', properties }) }, work)

  add('echo', { id: { type: 'integer' }, text: { type: 'string' } }, ({ id, text }) => show(`${id} ${text}`))
  add('count', { steps: { type: 'integer' } }, async ({ steps }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (let progress = 1; progress <= steps; progress += 1) {
      if (progressToken === undefined) break
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: steps } })
      await sleep(30)
    }
    return show(`Counted to ${steps}.`)
  })
  add('ask', {}, async (_, { mcpReq }) => {
    const { content } = await mcpReq.elicitInput({ mode: 'form', ...form })
    return show(`Hello ${content.name}.`)
  })
  add('sample', {}, async (_, { mcpReq }) => {
    const messages = [{ role: 'user', content: { type: 'text', text: 'Who?' } }]
    const { content } = await mcpReq.requestSampling({ messages, maxTokens: 10 })
    return show(content.text)
  })
  add('roots', {}, async () => {
    const { roots } = await server.server.listRoots()
    return show(roots[0].uri)
  })
  add('ask_either', {}, (_, { mcpReq }) => {
    const person = acceptedContent(mcpReq.inputResponses, 'who')
    if (person) return show(`Hello ${String(person.name)}.`)
    return inputRequired({ inputRequests: { who: inputRequired.elicit(form) } })
  })
  return server
})

function show(text) {
  return { content: [{ type: 'text', text }] }
}
