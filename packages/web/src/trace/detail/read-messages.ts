import type { EventView } from '@herma/contract'

/** The content of a message as it was recorded. */
export interface RecordedBody {
  readonly value: unknown
  /** Set when only the begin of a long body was kept: how long it was. */
  readonly wholeLength?: number
}

/** What a client and the hub said to each other in one call. Absent what was not recorded. */
export interface Messages {
  readonly request?: RecordedBody
  readonly response?: RecordedBody
  /** Sent before the response: progress, log lines. */
  readonly parts: readonly RecordedBody[]
  /** Questions to the client, and its answers. */
  readonly questions: readonly EventView[]
}

/** Finds the messages among the events of a span. */
export function readMessages(events: readonly EventView[]): Messages {
  const request = bodyOf(
    events.find(({ kind }) => kind === 'message.received'),
    'params',
  )
  const response = bodyOf(
    events.findLast(({ kind }) => kind === 'message.sent'),
    'message',
  )
  return {
    ...(request === undefined ? {} : { request }),
    ...(response === undefined ? {} : { response }),
    parts: events.filter(({ kind }) => kind === 'part.sent').flatMap((event) => bodyOf(event, 'message') ?? []),
    questions: events.filter(({ kind }) => kind.startsWith('question.')),
  }
}

/** The arguments of a tool or prompt; undefined when they were not recorded, or not all of them. */
export function argumentsOf({ request }: Messages): Readonly<Record<string, unknown>> | undefined {
  if (request === undefined || request.wholeLength !== undefined) return undefined
  const given = fieldsOf(request.value)?.['arguments']
  return given === undefined ? {} : fieldsOf(given)
}

/** The result, or the error in its place. */
export function resultOf({ response }: Messages): unknown {
  if (response === undefined || response.wholeLength !== undefined) return undefined
  const fields = fieldsOf(response.value)
  return fields?.['result'] ?? fields?.['error']
}

/** The texts of a tool's result, each as it is best read. */
export function textsOf(messages: Messages): string[] {
  const content = fieldsOf(resultOf(messages))?.['content']
  if (!Array.isArray(content)) return []
  return content.flatMap((block: unknown) => {
    const text = fieldsOf(block)?.['text']
    return typeof text === 'string' ? [indentJson(text)] : []
  })
}

function indentJson(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    // It only looked like JSON.
    return text
  }
}

function bodyOf(event: EventView | undefined, name: string): RecordedBody | undefined {
  if (event === undefined) return undefined
  const { truncated, length } = event.data
  if (typeof truncated === 'string') return { value: truncated, wholeLength: Number(length) }
  return name in event.data ? { value: event.data[name] } : undefined
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined
}
