import { z } from 'zod'
import { Usage } from './session.ts'

/** One part of a message. */
export const MessagePart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('reasoning'), text: z.string() }),
  z.object({ type: z.literal('image'), mediaType: z.string(), data: z.string().describe('Base64.') }),
  z.object({ type: z.literal('tool-call'), id: z.string(), name: z.string(), arguments: z.unknown() }),
  z.object({
    type: z.literal('tool-result'),
    id: z.string(),
    name: z.string(),
    text: z.string(),
    isError: z.boolean(),
    ms: z.number().optional(),
  }),
])
export type MessagePart = z.infer<typeof MessagePart>

/** One message of a thread. */
export const ThreadMessage = z.object({
  id: z.string(),
  role: z.enum(['user', 'assistant', 'tool']),
  parts: z.array(MessagePart),
  at: z.iso.datetime(),
  traceId: z.string().nullable().describe('The trace of the turn that it belongs to.'),
  usage: Usage.nullable(),
  costUsd: z.number().nullable(),
})
export type ThreadMessage = z.infer<typeof ThreadMessage>

/** A talk with a session. */
export const ThreadView = z.object({
  id: z.string(),
  session: z.string(),
  title: z.string(),
  principal: z.string().describe('Whose it is.'),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  messageCount: z.number(),
  usage: Usage,
  costUsd: z.number().nullable(),
  isRunning: z.boolean().describe('Whether a turn is under way.'),
})
export type ThreadView = z.infer<typeof ThreadView>

export const ThreadInput = z.strictObject({ title: z.string().max(200).default('') })
export type ThreadInput = z.infer<typeof ThreadInput>

export const ThreadQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(100).optional().describe('The `next` of the page before.'),
})
export type ThreadQuery = z.infer<typeof ThreadQuery>

export const ThreadPage = z.object({ threads: z.array(ThreadView), next: z.string().nullable() })
export type ThreadPage = z.infer<typeof ThreadPage>

/** What all the talks of one person with one session took together. */
export const ThreadTotals = z.object({
  session: z.string(),
  threads: z.number(),
  lastAt: z.iso.datetime().describe('When the newest of them went on.'),
  totalTokens: z.number(),
  costUsd: z.number().nullable().describe('Null where nobody knows the price.'),
})
export type ThreadTotals = z.infer<typeof ThreadTotals>

export const ThreadDetail = ThreadView.extend({ messages: z.array(ThreadMessage) })
export type ThreadDetail = z.infer<typeof ThreadDetail>

/** What somebody says to a session. */
export const ChatInput = z.strictObject({
  text: z.string().min(1).max(1_000_000),
  cwd: z.string().max(4096).optional().describe('Where to work; absent = the working directory of the session.'),
})
export type ChatInput = z.infer<typeof ChatInput>

/** What happens in a turn, as it happens: the data of server-sent events. */
export const ChatEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('begin'),
    thread: z.string(),
    traceId: z.string(),
    route: z.string(),
    said: z.string().describe('What the turn answers, for those who come later.'),
  }),
  z.object({ type: z.literal('text-delta'), text: z.string() }),
  z.object({ type: z.literal('reasoning-delta'), text: z.string() }),
  z.object({ type: z.literal('tool-call'), id: z.string(), name: z.string(), arguments: z.unknown() }),
  z.object({
    type: z.literal('approval-wanted'),
    approval: z.string().describe('For POST /api/sessions/:name/approvals/:approval.'),
    id: z.string(),
    name: z.string(),
    arguments: z.unknown(),
  }),
  z.object({
    type: z.literal('tool-result'),
    id: z.string(),
    name: z.string(),
    text: z.string(),
    isError: z.boolean(),
    ms: z.number(),
  }),
  z.object({ type: z.literal('retry'), because: z.string(), delayMs: z.number() }),
  z.object({ type: z.literal('warning'), text: z.string() }),
  z.object({ type: z.literal('diff'), diff: z.string(), files: z.array(z.string()) }),
  z.object({
    type: z.literal('done'),
    text: z.string(),
    finish: z.string(),
    usage: Usage,
    costUsd: z.number().nullable(),
  }),
  z.object({ type: z.literal('error'), code: z.string(), message: z.string() }),
])
export type ChatEvent = z.infer<typeof ChatEvent>

/** The answer of a person to a wanted approval. */
export const ApprovalAnswer = z.strictObject({
  answer: z
    .enum(['once', 'session', 'always', 'refuse'])
    .describe('once = this call; session = this tool in this thread; always = this tool from now on; refuse = no.'),
})
export type ApprovalAnswer = z.infer<typeof ApprovalAnswer>
