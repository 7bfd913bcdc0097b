// A legacy MCP server, as plain objects, that repeats the secrets it was told wherever a server can say something.

/** A secret in the spellings under which it travels. */
export function spellings(secret) {
  const base64 = (before) => Buffer.from(before + secret + before).toString('base64')
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret),
    ...['', 'x', 'xx'].map(base64),
    Buffer.from(secret).toString('base64url'),
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret).toString('hex').toUpperCase(),
  ]
}

/** Answers one message. `heard` are the secrets, `send` takes messages back. */
export function answer({ id, method, params = {} }, heard, send) {
  if (id === undefined || method === undefined) return
  const text = heard.flatMap(spellings).join(' | ')
  const reply = (result) => send({ id, result })
  const progressToken = params._meta?.progressToken
  switch (method) {
    case 'initialize':
      return reply({
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {}, logging: {}, resources: {}, prompts: {} },
        serverInfo: { name: 'parrot', version: '1.0.0', title: text },
        instructions: text,
      })
    case 'tools/list':
      return reply({
        tools: ['say', 'fail', 'complain', 'report'].map((name) => ({ name, description: text, inputSchema: {} })),
      })
    case 'resources/list':
      return reply({ resources: [{ uri: 'parrot://one', name: 'one', description: text }] })
    case 'resources/templates/list':
      return reply({ resourceTemplates: [] })
    case 'prompts/list':
      return reply({ prompts: [] })
    case 'resources/read':
      return reply({ contents: [{ uri: params.uri, text }] })
    case 'logging/setLevel':
    case 'ping':
      return reply({})
    case 'tools/call':
      break
    default:
      return send({ id, error: { code: -32601, message: `Method not found with ${text}`, data: { text } } })
  }
  switch (params.name) {
    case 'say':
      return reply({
        content: [{ type: 'text', text }],
        structuredContent: { deep: [{ note: text }] },
        _meta: { text },
      })
    case 'fail':
      return send({ id, error: { code: -32000, message: `failed with ${text}`, data: { deep: [text] } } })
    case 'complain':
      return reply({ isError: true, content: [{ type: 'text', text }] })
    default:
      if (progressToken !== undefined)
        send({ method: 'notifications/progress', params: { progressToken, progress: 1, message: text } })
      send({ method: 'notifications/message', params: { level: 'error', logger: 'parrot', data: { text } } })
      return reply({ content: [{ type: 'text', text: 'reported' }] })
  }
}
