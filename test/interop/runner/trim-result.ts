interface Texts {
  readonly content: readonly { readonly type: string; readonly text: string }[]
}

/** A list of tools with what every client shows of them. */
export function onlyNames(result: unknown): unknown {
  const { tools, ...rest } = result as { tools: { name: string; description?: string }[] }
  return { ...rest, tools: tools.map(({ name, description = '' }) => ({ name, description })) }
}

/**
 * server-everything lists what it was told and repeats the whole answer at the end, with what each client fills in by
 * itself; the first that it was told is the name.
 */
export function onlyTheName(result: unknown): unknown {
  const { content, ...rest } = result as Texts
  const shown = content.filter(({ text }) => !text.startsWith('\nRaw result:'))
  return { ...rest, content: shown.map((part) => ({ ...part, text: part.text.split('\n').slice(0, 2).join('\n') })) }
}

/** Whether there is more is left out by clients that take no for what its absence says. */
export function withoutMore(result: unknown): unknown {
  const { completion } = result as { completion?: { hasMore?: boolean } }
  if (completion === undefined || completion.hasMore !== undefined) return result
  return { ...(result as object), completion: { ...completion, hasMore: false } }
}

/** server-everything prints what it got as JSON, in which the order of the members is the client's. */
export function sampledText(result: unknown): unknown {
  const { content } = result as Texts
  const [title, ...json] = content[0]?.text.split('\n') ?? []
  if (title !== 'LLM sampling result: ') return result
  const { content: sampled } = JSON.parse(json.join('\n')) as { content: unknown }
  return { content: [sampled] }
}
