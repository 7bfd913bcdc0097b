interface Texts {
  readonly content: readonly { readonly type: string; readonly text: string }[]
}

/** A list of tools with what every client shows of them. */
export function onlyNames(result: unknown): unknown {
  const { tools, ...rest } = result as { tools: { name: string; description?: string }[] }
  return { ...rest, tools: tools.map(({ name, description }) => ({ name, description })) }
}

/** server-everything repeats the whole answer at the end, with what each client fills in by itself. */
export function withoutRawAnswer(result: unknown): unknown {
  const { content, ...rest } = result as Texts
  return { ...rest, content: content.filter(({ text }) => !text.startsWith('\nRaw result:')) }
}

/** server-everything prints what it got as JSON, in which the order of the members is the client's. */
export function sampledText(result: unknown): unknown {
  const { content } = result as Texts
  const [title, ...json] = content[0]?.text.split('\n') ?? []
  if (title !== 'LLM sampling result: ') return result
  const { content: sampled } = JSON.parse(json.join('\n')) as { content: unknown }
  return { content: [sampled] }
}
