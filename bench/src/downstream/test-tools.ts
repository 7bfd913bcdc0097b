export interface TestTool {
  name: string
  title?: string
  description: string
  inputSchema: object
  annotations?: object
}

/** The tools of one test server: `echo`, `payload` and generated ones of a realistic size, `count` in all. */
export function makeTools(count: number): TestTool[] {
  const tools = [echo, payload].slice(0, count)
  for (let index = tools.length; index < count; index++) tools.push(generatedTool(index))
  return tools
}

const texts = new Map<number, string>()

/** A text of exactly `bytes` UTF-8 bytes with newlines, quotes and a non-Latin character, like real tool output. */
export function payloadText(bytes: number): string {
  const known = texts.get(bytes)
  if (known !== undefined) return known
  const line = '{"path":"/src/app/module.ts","line":42,"text":"const value = await call(\'x\') // fine"} — ok\n'
  const lineBytes = Buffer.byteLength(line)
  const text = line.repeat(Math.floor(bytes / lineBytes)) + 'x'.repeat(bytes % lineBytes)
  // One bench asks for one size; the map is for the test that asks for a few.
  if (texts.size > 16) texts.clear()
  texts.set(bytes, text)
  return text
}

const echo: TestTool = {
  name: 'echo',
  description: 'Gives the text back.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
}

const payload: TestTool = {
  name: 'payload',
  description: 'Gives a text of the wanted size.',
  inputSchema: { type: 'object', properties: { bytes: { type: 'integer' } }, required: ['bytes'] },
}

const generatedTool = (index: number): TestTool => ({
  name: `tool_${index}`,
  title: `Tool number ${index}`,
  description: `Does thing number ${index} on the remote system: looks up the record by id, applies the filter and returns the matching rows as text.`,
  inputSchema: {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'Identifier of the record to look up' },
      filter: { type: 'string', description: 'Filter expression to apply', enum: ['all', 'open', 'closed'] },
      limit: { type: 'integer', description: 'Maximum number of rows', minimum: 1, maximum: 1000, default: 50 },
    },
    required: ['id'],
  },
  annotations: { readOnlyHint: true },
})
