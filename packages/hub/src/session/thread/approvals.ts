import { randomUUID } from 'node:crypto'
import { HubError, type ApprovalAnswer } from '@herma/contract'

type Answer = ApprovalAnswer['answer']

interface Pending {
  readonly session: string
  readonly principal: string
  readonly resolve: (answer: Answer) => void
}

/** How long a person may think. */
const expiryMs = 30 * 60_000
const maxPending = 1000

/** Tool calls that wait for a person to allow them. Nobody answers for somebody else. */
export class Approvals {
  readonly #pending = new Map<string, Pending>()

  get size(): number {
    return this.#pending.size
  }

  /** `show` is told the id under which the answer is given. Silence is a refusal. */
  ask(
    of: Pick<Pending, 'session' | 'principal'>,
    signal: AbortSignal,
    show: (approval: string) => void,
  ): Promise<Answer> {
    if (this.#pending.size >= maxPending)
      return Promise.reject(
        new HubError('OVERLOADED', `${maxPending} tool calls wait for approval. Answer some first.`),
      )
    const id = randomUUID()
    return new Promise((resolve) => {
      const end = (answer: Answer) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', refuse)
        this.#pending.delete(id)
        resolve(answer)
      }
      const refuse = () => end('refuse')
      const timer = setTimeout(refuse, expiryMs).unref()
      signal.addEventListener('abort', refuse, { once: true })
      this.#pending.set(id, { ...of, resolve: end })
      show(id)
      if (signal.aborted) refuse()
    })
  }

  answer(id: string, { session, principal, answer }: { session: string; principal: string; answer: Answer }): void {
    const pending = this.#pending.get(id)
    // What belongs to others answers exactly like what is not there.
    if (pending === undefined || pending.session !== session || pending.principal !== principal)
      throw new HubError(
        'APPROVAL_NOT_FOUND',
        'Nothing waits for this approval: it was answered, withdrawn, or took too long.',
      )
    pending.resolve(answer)
  }
}
