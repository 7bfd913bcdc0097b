import {
  HubError,
  type ApprovalAnswer,
  type ChatEvent,
  type ChatInput,
  type Principal,
  type ThreadDetail,
  type ThreadInput,
  type ThreadPage,
  type ThreadQuery,
  type ThreadTotals,
  type ThreadView,
} from '@herma/contract'
import type { Metric } from '../../platform/metric/metrics.ts'
import type { WorkContext } from '../../wire/index.ts'
import type { StoredSession } from '../store.ts'
import type { ToolCall, TurnMessage } from '../turn/types.ts'
import { hasPlace } from '../work/open-place.ts'
import type { WorkRequest, WorkResult } from '../work/types.ts'
import { Approvals } from './approvals.ts'
import { RunningTurn } from './running-turn.ts'
import type { StoredThread, ThreadStore } from './store.ts'

interface ManagerOptions {
  readonly store: ThreadStore
  /** Throws when there is none, or it is disabled. */
  session(name: string): StoredSession
  /** Throws when the principal may not use this session. */
  require(principal: Principal, session: string): void
  workContextFor(principal: Principal, session: string, signal: AbortSignal): WorkContext
  work(request: WorkRequest): Promise<WorkResult>
  /** From now on, this tool of the session needs no approval. */
  approveAlways(session: string, tool: string): Promise<void>
  /** Without the secrets that the hub knows: what is kept may be read for long. */
  redact<T>(value: T): T
  /** A thread came, went or changed. */
  onChange(): void
}

/** A thread that is longer would not fit any model. */
const maxMessages = 5000
const maxRunning = 1000

/** Talks with sessions: whole turns are kept, and one runs at a time in each thread. */
export class Threads {
  readonly #parts: ManagerOptions
  readonly #running = new Map<string, RunningTurn>()
  readonly #ends = new Set<Promise<void>>()
  readonly #approvals = new Approvals()
  readonly metrics: readonly Metric[]

  constructor(parts: ManagerOptions) {
    this.#parts = parts
    this.metrics = [
      {
        name: 'thread_turns_running',
        help: 'Turns under way in threads.',
        kind: 'gauge',
        read: () => this.#running.size,
      },
      {
        name: 'approvals_pending',
        help: 'Tool calls that wait for a person.',
        kind: 'gauge',
        read: () => this.#approvals.size,
      },
    ]
  }

  /** Ends every turn; nothing of them is kept. */
  async stop(): Promise<void> {
    for (const turn of this.#running.values()) turn.cancel(new HubError('DOWNSTREAM_FAILED', 'The hub stops.'))
    await Promise.all(this.#ends)
  }

  async list(session: string, principal: Principal, query: ThreadQuery): Promise<ThreadPage> {
    const { id } = this.#enter(session, principal)
    const { threads, next } = await this.#parts.store.list(id, principal.id, query)
    return { threads: threads.map((thread) => this.#view(session, thread)), next }
  }

  totals(principal: Principal): Promise<ThreadTotals[]> {
    return this.#parts.store.totals(principal.id)
  }

  async create(session: string, principal: Principal, { title }: ThreadInput): Promise<ThreadView> {
    const { id } = this.#enter(session, principal)
    const thread = await this.#parts.store.add(id, principal.id, this.#parts.redact(title))
    this.#parts.onChange()
    return this.#view(session, thread)
  }

  async get(session: string, principal: Principal, thread: string): Promise<ThreadDetail> {
    const found = await this.#find(session, principal, thread)
    return { ...this.#view(session, found), messages: await this.#parts.store.messages(found.id) }
  }

  async rename(session: string, principal: Principal, thread: string, input: ThreadInput): Promise<ThreadView> {
    const found = await this.#find(session, principal, thread)
    const title = this.#parts.redact(input.title)
    await this.#parts.store.rename(found.id, title)
    this.#parts.onChange()
    return this.#view(session, { ...found, title })
  }

  async remove(session: string, principal: Principal, thread: string): Promise<void> {
    const found = await this.#find(session, principal, thread)
    this.#running.get(found.id)?.cancel(new HubError('THREAD_NOT_FOUND', 'The thread was removed.'))
    await this.#parts.store.remove(found.id)
    this.#parts.onChange()
  }

  /** Begins a turn. It goes on when nobody listens; `cancel` ends it. */
  async say(session: string, principal: Principal, thread: string, input: ChatInput): Promise<RunningTurn> {
    const known = this.#enter(session, principal)
    const found = await this.#find(session, principal, thread)
    if (found.messageCount >= maxMessages)
      throw new HubError('THREAD_BUSY', `The thread has ${maxMessages} messages, the limit. Begin a new one.`)
    if (this.#running.size >= maxRunning)
      throw new HubError('OVERLOADED', `${maxRunning} turns are under way, the limit. Try again later.`)
    if (this.#running.has(found.id))
      throw new HubError('THREAD_BUSY', 'The session is still at work in this thread. Wait for it, or cancel its turn.')
    const turn = new RunningTurn(principal.id)
    this.#running.set(found.id, turn)
    this.#parts.onChange()
    const end = this.#run(turn, { session: known, thread: found, principal, input }).finally(() => {
      this.#running.delete(found.id)
      this.#parts.onChange()
      this.#ends.delete(end)
    })
    this.#ends.add(end)
    return turn
  }

  /** The turn under way in a thread; null when there is none. */
  async running(session: string, principal: Principal, thread: string): Promise<RunningTurn | null> {
    const found = await this.#find(session, principal, thread)
    return this.#running.get(found.id) ?? null
  }

  async cancel(session: string, principal: Principal, thread: string): Promise<void> {
    const turn = await this.running(session, principal, thread)
    turn?.cancel(new HubError('DOWNSTREAM_FAILED', 'The turn was cancelled.'))
  }

  answer(session: string, principal: Principal, approval: string, { answer }: ApprovalAnswer): void {
    if (answer === 'always' && principal.role !== 'owner' && principal.role !== 'admin') {
      const text = `'always' changes the session for everybody, which is for admins, and '${principal.name}' is a ${principal.role}. Answer session or once.`
      throw new HubError('FORBIDDEN', text)
    }
    this.#approvals.answer(approval, { session, principal: principal.id, answer })
  }

  async #run(
    turn: RunningTurn,
    {
      session,
      thread,
      principal,
      input,
    }: { session: StoredSession; thread: StoredThread; principal: Principal; input: ChatInput },
  ): Promise<void> {
    const { store, work, workContextFor, redact } = this.#parts
    const place = input.cwd === undefined ? {} : { cwd: input.cwd }
    const said: TurnMessage = { role: 'user', parts: [{ type: 'text', text: input.text }] }
    try {
      const workContext = workContextFor(principal, session.name, turn.signal)
      const history = await store.history(thread.id)
      // Work that begins after a cancel would not hear of it.
      turn.signal.throwIfAborted()
      const result = await work({
        session,
        ability: 'chat',
        input: { text: input.text, fields: {} },
        messages: [...history, said],
        extraInstructions: '',
        workContext,
        place,
        needs: hasPlace(session, place) ? 'write' : 'none',
        thread: thread.id,
        approve: (call, signal) => this.#approve(turn, { session, thread, principal, call, signal }),
        onBegin: (route) =>
          turn.tell({ type: 'begin', thread: thread.id, traceId: workContext.traceId, route, said: input.text }),
        onEvent: (event) => {
          // Approvals are told with the id under which they are answered.
          if (event.type !== 'approval-wanted' && event.type !== 'step-finished') turn.tell(event as ChatEvent)
        },
      })
      const { usage, costUsd, text, finish } = result
      await store.keep(thread.id, {
        messages: redact([said, ...result.messages]),
        traceId: workContext.traceId,
        usage,
        costUsd,
        title: redact(toTitle(input.text)),
      })
      if (result.whyNotCommitted !== null)
        turn.tell({ type: 'warning', text: `Nothing was written: ${result.whyNotCommitted}.` })
      turn.tell({ type: 'done', text, finish, usage, costUsd })
    } catch (error) {
      const { code, message } =
        error instanceof HubError
          ? error
          : { code: 'INTERNAL', message: 'Something went wrong inside Herma. See: herma logs' }
      turn.tell({ type: 'error', code, message: redact(message) })
    }
  }

  async #approve(
    turn: RunningTurn,
    of: { session: StoredSession; thread: StoredThread; principal: Principal; call: ToolCall; signal: AbortSignal },
  ): Promise<'once' | 'refused'> {
    const { session, thread, principal, call, signal } = of
    const { store, approveAlways } = this.#parts
    const current = await store.find(session.id, thread.id)
    if (current?.approved.includes(call.name) === true) return 'once'
    const answer = await this.#approvals.ask({ session: session.name, principal: principal.id }, signal, (approval) =>
      turn.tell({ type: 'approval-wanted', approval, ...call }),
    )
    if (answer === 'session') await store.approve(thread.id, call.name)
    if (answer === 'always') await approveAlways(session.name, call.name)
    return answer === 'refuse' ? 'refused' : 'once'
  }

  #enter(name: string, principal: Principal): StoredSession {
    const session = this.#parts.session(name)
    this.#parts.require(principal, name)
    return session
  }

  /** A thread of somebody else answers exactly like one that is not there. */
  async #find(name: string, principal: Principal, thread: string): Promise<StoredThread> {
    const { id } = this.#enter(name, principal)
    const found = idPattern.test(thread) ? await this.#parts.store.find(id, thread) : undefined
    if (found === undefined || found.principal !== principal.id)
      throw new HubError(
        'THREAD_NOT_FOUND',
        `'${name}' has no thread ${JSON.stringify(thread)} of yours. See: herma session threads ${name}`,
      )
    return found
  }

  #view(session: string, thread: StoredThread): ThreadView {
    const { id, title, principal, messageCount, usage, costUsd } = thread
    return {
      id,
      session,
      title,
      principal,
      createdAt: thread.createdAt.toISOString(),
      updatedAt: thread.updatedAt.toISOString(),
      messageCount,
      usage,
      costUsd,
      isRunning: this.#running.has(id),
    }
  }
}

const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

function toTitle(text: string): string {
  const line = text.trim().split('\n', 1)[0]!
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}
