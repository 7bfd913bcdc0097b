import type { FakeRequest, Reply } from '../../fixtures/fake-llm/fake-llm.ts'

/** What a prompt wants the model to do: first its tool calls, all at once, then its answer. */
export interface Wish {
  readonly text?: string
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: unknown }[]
  /** Between two pieces of the answer. */
  readonly chunkMs?: number
}

/** The words of a prompt that a model of tests obeys, whoever lends it. */
export function wishing(words: string, wish: Wish): string {
  return `${words}\n#model ${JSON.stringify(wish)}`
}

/** A model that does what its prompt says; what the tools answered stands behind its answer when it ends with a colon. */
export function obey({ messages }: Pick<FakeRequest, 'messages'>): Reply {
  const {
    text = 'Done.',
    toolCalls = [],
    chunkMs,
  } = readWish(messages.findLast(({ role }) => role === 'user')?.text ?? '')
  const last = messages.at(-1)!
  if (last.role !== 'tool')
    return toolCalls.length > 0 ? { toolCalls } : { text, ...(chunkMs !== undefined && { chunkMs }) }
  const told = messages.slice(messages.findLastIndex(({ role }) => role !== 'tool') + 1).map((message) => message.text)
  return { text: text.endsWith(':') ? `${text} ${told.join(' ')}` : text, ...(chunkMs !== undefined && { chunkMs }) }
}

interface SampledBlock {
  readonly type: string
  readonly text?: string
  readonly content?: readonly SampledBlock[]
}

/** The same for a client that lends its model. */
export function obeySampling(messages: readonly { role: string; content: unknown }[]) {
  const blocksOf = (content: unknown) => [content].flat() as SampledBlock[]
  const plain = messages.map(({ role, content }) => {
    const blocks = blocksOf(content)
    const isResult = blocks.some(({ type }) => type === 'tool_result')
    const texts = blocks.flatMap((block) => (isResult ? (block.content ?? []) : [block])).map(({ text }) => text ?? '')
    return { role: isResult ? 'tool' : role, text: texts.join('\n'), toolCalls: [], reasoning: [] }
  })
  const { text, toolCalls } = obey({ messages: plain as unknown as FakeRequest['messages'] })
  const head = { model: 'borrowed', role: 'assistant' as const }
  if (toolCalls === undefined)
    return { ...head, stopReason: 'endTurn', content: { type: 'text' as const, text: text ?? '' } }
  const uses = toolCalls.map(({ name, arguments: input }, index) => ({
    type: 'tool_use' as const,
    id: `use-${index}`,
    name,
    input: input as Record<string, unknown>,
  }))
  return { ...head, stopReason: 'toolUse', content: uses }
}

function readWish(prompt: string): Wish {
  const said = /^#model (\{.*\})$/m.exec(prompt)?.[1]
  return said === undefined ? { text: `You said: ${prompt}` } : (JSON.parse(said) as Wish)
}
