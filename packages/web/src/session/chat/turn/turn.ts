import type { ApprovalAnswer, ChatEvent, MessagePart, ThreadMessage, Usage } from '@herma/contract'

export interface ToolBlock {
  readonly type: 'tool'
  readonly id: string
  readonly name: string
  readonly arguments: unknown
  /** Absent while it runs or waits. */
  readonly result?: { readonly text: string; readonly isError: boolean; readonly ms: number | undefined }
  /** Somebody is asked first. */
  readonly approval?: { readonly id: string; readonly answer: ApprovalAnswer['answer'] | 'gone' | null }
}

/** What is seen of a turn, in the order in which it happened. */
export type Block =
  | { readonly type: 'text' | 'reasoning' | 'note' | 'warning'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'diff'; readonly diff: string; readonly files: readonly string[] }
  | ToolBlock

/** Something that was said to a session, and what it did then. */
export interface Turn {
  readonly key: string
  readonly said: string
  readonly blocks: readonly Block[]
  readonly state: 'running' | 'done' | 'failed'
  /** Why it failed, and the next step. */
  readonly problem?: { readonly code: string | null; readonly message: string }
  /** The one who looks has stopped it. */
  readonly isStopped?: boolean
  readonly traceId: string | null
  readonly usage: Usage | null
  readonly costUsd: number | null
  readonly at: string | null
}

export function beginTurn(key: string, said: string): Turn {
  return { key, said, blocks: [], state: 'running', traceId: null, usage: null, costUsd: null, at: null }
}

/** The turn after one more event. */
export function addEvent(turn: Turn, event: ChatEvent): Turn {
  const { blocks } = turn
  const push = (block: Block): Turn => ({ ...turn, blocks: [...blocks, block] })
  switch (event.type) {
    case 'begin':
      return { ...turn, traceId: event.traceId, said: event.said }
    case 'text-delta':
      return { ...turn, blocks: appendText(blocks, 'text', event.text) }
    case 'reasoning-delta':
      return { ...turn, blocks: appendText(blocks, 'reasoning', event.text) }
    case 'tool-call':
      return { ...turn, blocks: putTool(blocks, event, {}) }
    case 'approval-wanted':
      return { ...turn, blocks: putTool(blocks, event, { approval: { id: event.approval, answer: null } }) }
    case 'tool-result': {
      const { text, isError, ms } = event
      return { ...turn, blocks: putTool(blocks, event, { result: { text, isError, ms } }) }
    }
    case 'retry':
      return push({ type: 'note', text: `${event.because} Trying again.` })
    case 'warning':
      return push({ type: 'warning', text: event.text })
    case 'diff':
      return event.files.length === 0 ? turn : push({ type: 'diff', diff: event.diff, files: event.files })
    case 'done':
      return { ...withText(turn, event.text), state: 'done', usage: event.usage, costUsd: event.costUsd }
    case 'error':
      return { ...turn, state: 'failed', problem: { code: event.code, message: event.message } }
  }
}

/** The turn after somebody answered, or could not answer any more. */
export function answerIn(turn: Turn, approval: string, answer: ApprovalAnswer['answer'] | 'gone'): Turn {
  const blocks = turn.blocks.map((block) =>
    block.type === 'tool' && block.approval?.id === approval ? { ...block, approval: { id: approval, answer } } : block,
  )
  return { ...turn, blocks }
}

/** The tool call that waits for an answer, if any. */
export function findWaiting(turn: Turn | null): ToolBlock | undefined {
  if (turn?.state !== 'running') return undefined
  return turn.blocks.find((block): block is ToolBlock => block.type === 'tool' && isWaiting(block))
}

export function isWaiting({ approval, result }: ToolBlock): boolean {
  return approval?.answer === null && result === undefined
}

/** The turns of a thread that are over. A turn begins with what a person said. */
export function toTurns(messages: readonly ThreadMessage[]): Turn[] {
  const turns: Turn[] = []
  for (const { id, role, parts, at, traceId, usage, costUsd } of messages) {
    if (role === 'user') turns.push({ ...beginTurn(id, textOf(parts)), state: 'done', traceId, at })
    const last = turns.pop()
    if (last === undefined) continue
    const blocks = role === 'user' ? last.blocks : parts.reduce(addPart, last.blocks)
    turns.push({ ...last, blocks, usage: usage ?? last.usage, costUsd: costUsd ?? last.costUsd })
  }
  return turns
}

function addPart(blocks: readonly Block[], part: MessagePart): readonly Block[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text === '' ? blocks : appendText(blocks, part.type, part.text)
    case 'image':
      return [...blocks, part]
    case 'tool-call':
      return putTool(blocks, part, {})
    case 'tool-result':
      return putTool(blocks, part, { result: { text: part.text, isError: part.isError, ms: part.ms } })
  }
}

function textOf(parts: readonly MessagePart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

function appendText(blocks: readonly Block[], type: 'text' | 'reasoning', text: string): readonly Block[] {
  const last = blocks.at(-1)
  if (last?.type !== type) return [...blocks, { type, text }]
  return [...blocks.slice(0, -1), { type, text: last.text + text }]
}

/** A provider that does not stream says everything at its end. */
function withText(turn: Turn, text: string): Turn {
  const isThere = text === '' || turn.blocks.some((block) => block.type === 'text')
  return isThere ? turn : { ...turn, blocks: [...turn.blocks, { type: 'text', text }] }
}

/** Calls are known by their ids; results and approvals are put to the newest call of that id. */
function putTool(
  blocks: readonly Block[],
  { id, name, ...call }: { id: string; name: string; arguments?: unknown },
  more: Pick<ToolBlock, 'result' | 'approval'>,
): readonly Block[] {
  const at = blocks.findLastIndex((block) => block.type === 'tool' && block.id === id && block.result === undefined)
  if (at < 0) return [...blocks, { type: 'tool', id, name, arguments: call.arguments, ...more }]
  return blocks.with(at, { ...(blocks[at] as ToolBlock), ...more })
}
