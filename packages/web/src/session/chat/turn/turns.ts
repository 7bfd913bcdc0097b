import type { ApprovalAnswer, ChatEvent, ChatInput } from '@herma/contract'
import { useSyncExternalStore } from 'react'
import { api, rawApi } from '../../../api/client.ts'
import { ApiProblem } from '../../../api/problem.ts'
import { readEvents } from '../../../api/read-events.ts'
import { queryClient } from '../../../api/query-client.ts'
import { explain } from '../../../ui/explain.ts'
import { threadQuery } from '../../threads-query.ts'
import { addEvent, answerIn, beginTurn, type Turn } from './turn.ts'

interface Place {
  readonly session: string
  readonly thread: string
}

/** Often enough to look alive, seldom enough to leave the page its time. */
const redrawMs = 50
const maxKept = 50
const maxAttempts = 5
const restMs = 1000

const turns = new Map<string, Turn>()
const reading = new Set<string>()
const watchers = new Set<() => void>()
let redraw: ReturnType<typeof setTimeout> | undefined

/**
 * The newest turn of a thread that this page has heard of, while it runs and after it. It is read on when other pages are
 * looked at, so that coming back shows it at once.
 */
export function useTurn(thread: string | undefined): Turn | null {
  return useSyncExternalStore(watch, () => (thread === undefined ? null : (turns.get(thread) ?? null)))
}

/** Says something, and hears the turn. Failures become part of the turn. */
export async function say(place: Place, input: ChatInput): Promise<void> {
  await hear(place, beginTurn(`live-${Date.now()}`, input.text), () =>
    rawApi.sayInThread({ name: place.session, thread: place.thread, body: input }, { timeoutMs: Infinity }),
  )
}

/** Hears a turn that another page began, or this one before it was loaded again. */
export async function follow(place: Place): Promise<void> {
  if (reading.has(place.thread)) return
  await hear(place, turns.get(place.thread) ?? beginTurn(`live-${Date.now()}`, ''), () => listen(place))
}

/** Ends the turn; nothing of it is kept. */
export async function stop({ session, thread }: Place): Promise<void> {
  change(thread, (turn) => ({ ...turn, isStopped: true }))
  await api.cancelTurn({ name: session, thread })
}

/** Answers a wanted approval. One that nobody waits for any more is marked so; other failures are thrown. */
export async function answer(place: Place, approval: string, given: ApprovalAnswer['answer']): Promise<void> {
  const mark = (as: ApprovalAnswer['answer'] | 'gone') => change(place.thread, (turn) => answerIn(turn, approval, as))
  try {
    await api.answerApproval({ name: place.session, approval, body: { answer: given } })
    mark(given)
  } catch (error) {
    if (!(error instanceof ApiProblem && error.code === 'APPROVAL_NOT_FOUND')) throw error
    mark('gone')
  }
}

/** Takes a failed turn off the page. */
export function forget(thread: string): void {
  turns.delete(thread)
  tell()
}

async function hear(place: Place, fresh: Turn, open: () => Promise<Response>): Promise<void> {
  const { session, thread } = place
  if (reading.has(thread)) return
  reading.add(thread)
  put(thread, fresh)
  try {
    await read(place, await open())
    for (let attempt = 1; isRunning(thread); attempt++) {
      if (attempt > maxAttempts) throw new Error('The connection to the hub broke. Load the page again to go on.')
      await new Promise((resolve) => setTimeout(resolve, restMs))
      await read(place, await listen(place))
    }
  } catch (error) {
    const code = error instanceof ApiProblem ? error.code : null
    change(thread, (turn) => ({ ...turn, state: 'failed', problem: { code, message: explain(error) } }))
  } finally {
    reading.delete(thread)
    await queryClient.invalidateQueries({ queryKey: ['threads', session] })
  }
}

function listen({ session, thread }: Place): Promise<Response> {
  return rawApi.followThread({ name: session, thread }, { timeoutMs: Infinity })
}

/** A stream tells the turn from its begin, whatever was heard before. */
async function read(place: Place, response: Response): Promise<void> {
  const { session, thread } = place
  if (response.status === 204 || response.body === null) return endUnheard(session, thread)
  const shown = turns.get(thread)!
  let turn = beginTurn(shown.key, shown.said)
  for await (const { data } of readEvents(response.body)) {
    const event = JSON.parse(data) as ChatEvent
    // What is over is told once more to those who come in the moment of its end.
    if (event.type === 'begin' && event.traceId === shown.traceId && shown.state !== 'running') return
    // Answers that were given meanwhile stay.
    turn = addEvent(withMarks(turn, turns.get(thread)), event)
    put(thread, turn)
  }
}

/** The turn was over before we could listen: the thread says how it went. */
async function endUnheard(session: string, thread: string): Promise<void> {
  const { messages } = await queryClient.fetchQuery({ ...threadQuery(session, thread), staleTime: 0 })
  change(thread, (turn) => {
    const isKept = turn.traceId !== null && messages.some(({ traceId }) => traceId === turn.traceId)
    if (turn.state !== 'running') return turn
    if (isKept || turn.said === '') return { ...turn, state: 'done' }
    return { ...turn, state: 'failed', problem: { code: null, message: 'The turn ended while nobody listened.' } }
  })
}

/** What only this page knows of a turn. */
function withMarks(turn: Turn, shown: Turn | undefined): Turn {
  const answered = (shown?.blocks ?? []).flatMap((block) =>
    block.type === 'tool' && block.approval !== undefined && block.approval.answer !== null ? [block.approval] : [],
  )
  const marked = shown?.isStopped === true ? { ...turn, isStopped: true } : turn
  return answered.reduce((last, { id, answer: given }) => answerIn(last, id, given!), marked)
}

function isRunning(thread: string): boolean {
  return turns.get(thread)?.state === 'running'
}

function change(thread: string, make: (turn: Turn) => Turn): void {
  const turn = turns.get(thread)
  if (turn !== undefined) put(thread, make(turn))
}

function put(thread: string, turn: Turn): void {
  turns.delete(thread)
  turns.set(thread, turn)
  for (const oldest of turns.keys()) {
    if (turns.size <= maxKept) break
    if (!isRunning(oldest)) turns.delete(oldest)
  }
  tell()
}

function tell(): void {
  redraw ??= setTimeout(() => {
    redraw = undefined
    for (const watcher of watchers) watcher()
  }, redrawMs)
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}
