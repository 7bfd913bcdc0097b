import { HubError, type Connector, type PinPolicy } from '@herma/contract'
import type { Call, Descriptor } from '../../wire/index.ts'
import type { Link } from '../link/link.ts'
import type { DescriptorReader, LinkPart, ToolWatch } from './descriptor-reader.ts'

/** Knows how tools were approved. */
export interface ToolApprovals {
  /**
   * Of the tools that a process or session offers those that are not as they were approved, and those that it does not
   * offer, each with the reason. `isShown` where the list becomes that of everybody, which tells of the change.
   */
  compare(
    connector: { readonly id: string; readonly name: string; readonly policy: PinPolicy },
    tools: readonly Descriptor[],
    options: { readonly isShown: boolean },
  ): ReadonlyMap<string, string>
}

interface LooksOptions {
  readonly id: string
  readonly connector: Connector
  /** Absent where nothing was ever approved. */
  readonly approvals: ToolApprovals | undefined
  reader(): DescriptorReader
  /** What one principal is shown differs from what was approved: what all are shown may do so too. */
  onApartDiffering(): void
  onRemark(text: string): void
}

interface Look {
  readonly part: LinkPart
  /** The tools have to be read before the next call of one. */
  isDue: boolean
  differing: ReadonlyMap<string, string>
  problem: Error | null
}

/** Where a change is only marked, a call waits this long for a server that does not show its tools. */
const warnPatienceMs = 5000
const nothing: ReadonlyMap<string, string> = new Map()

/**
 * Sees to it that the tools of a new process or session are compared with what was approved before the first of them is
 * called there. With `block` what differs is not called; with `warn` it is recorded, and shown, by then.
 */
export class ToolLooks implements ToolWatch {
  readonly #options: LooksOptions
  readonly #policy: PinPolicy
  readonly #looks = new WeakMap<Link, Look>()

  constructor(options: LooksOptions) {
    this.#options = options
    this.#policy = options.connector.options.pinning
  }

  get isOn(): boolean {
    return this.#policy !== 'allow' && this.#options.approvals !== undefined
  }

  /** A link is open; its tools are to be read. */
  open(link: Link, part: LinkPart): void {
    link.isCleared = !this.isOn
    if (this.isOn) this.#looks.set(link, { part, isDue: true, differing: nothing, problem: null })
  }

  compare(link: Link, tools: readonly Descriptor[]): ReadonlyMap<string, string> {
    const { id, connector, approvals } = this.#options
    const isShown = this.#looks.get(link)?.part !== 'apart'
    return approvals?.compare({ id, name: connector.name, policy: this.#policy }, tools, { isShown }) ?? nothing
  }

  onTools(link: Link, tools: readonly Descriptor[], differing: ReadonlyMap<string, string>): void {
    const look = this.#looks.get(link)
    if (look === undefined) return
    const isBlocking = this.#policy === 'block'
    look.differing = differing
    look.problem = null
    look.isDue = isBlocking && this.#options.reader().hasStaleTools(link)
    const offersDiffering = differing.size > 0 && tools.some(({ name }) => differing.has(String(name)))
    // What the base does not offer is in no catalog; on another link it may be called all the same.
    const differs = look.part === 'base' ? offersDiffering : differing.size > 0
    link.isCleared = !isBlocking || (!look.isDue && !differs)
    if (offersDiffering && look.part === 'apart') this.#options.onApartDiffering()
  }

  onToolsFailed(link: Link, error: Error): void {
    const look = this.#looks.get(link)
    if (look === undefined) return
    look.problem = error
    this.expire(link)
  }

  /** The server may offer something else by now: with `block` its tools are read before the next call. */
  expire(link: Link): void {
    const look = this.#looks.get(link)
    if (look === undefined || this.#policy !== 'block') return
    look.isDue = true
    link.isCleared = false
    this.#options.reader().expireTools(link)
  }

  /** Whether a call may go out on a link now, as far as is known. */
  permits(link: Link, call: Call): boolean {
    if (link.isCleared || call.method !== 'tools/call') return true
    const look = this.#looks.get(link)
    return look !== undefined && !look.isDue && !look.differing.has(toolOf(call))
  }

  /** Resolves when a call may go out on a link. Rejects when its tool is not as it was approved, or was not to be seen. */
  async admit(link: Link, call: Call): Promise<void> {
    const look = this.#looks.get(link)
    if (look === undefined || this.permits(link, call)) return
    const limitMs = this.#patienceMs()
    const isInTime = await within(limitMs, this.#look(link, look))
    if (link.isClosed) return
    if (!isInTime || look.isDue) return this.#onUnseen(link, look, limitMs)
    const why = this.#policy === 'block' ? look.differing.get(toolOf(call)) : undefined
    if (why === undefined) return
    const { name } = this.#options.connector
    const tool = toolOf(call)
    throw new HubError(
      'TOOL_NOT_FOUND',
      `'${tool}' of '${name}' is blocked, so it was not called: ${why}. See: herma catalog review ${name} ${tool}`,
    )
  }

  async #look(link: Link, look: Look): Promise<void> {
    look.problem = null
    while (look.isDue && look.problem === null && !link.isClosed) await this.#options.reader().look(link)
  }

  #onUnseen(link: Link, look: Look, limitMs: number): void {
    const { name } = this.#options.connector
    const why = look.problem?.message ?? `It did not do so within ${limitMs} ms.`
    if (this.#policy === 'block')
      throw new HubError(
        'DOWNSTREAM_FAILED',
        `'${name}' has to show its tools before one is called, because they are pinned (pinning=block), so the call was not sent. ${why} See: herma logs ${name}`,
        { cause: look.problem },
      )
    // It is looked at again when its lists are.
    link.isCleared = true
    this.#options.onRemark(`was called before it showed whether its tools are as they were approved: ${why}`)
  }

  /** As long as the call itself might take, and a start. */
  #patienceMs(): number {
    if (this.#policy === 'warn') return warnPatienceMs
    const { handshakeTimeoutMs, requestTimeoutMs, maxRequestMs } = this.#options.connector.options
    return Math.min(handshakeTimeoutMs, requestTimeoutMs || Infinity, maxRequestMs || Infinity)
  }
}

function toolOf(call: Call): string {
  return String(call.params?.['name'])
}

async function within(limitMs: number, done: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs).unref()
  })
  try {
    return await Promise.race([done.then(() => true), limit])
  } finally {
    clearTimeout(timer)
  }
}
