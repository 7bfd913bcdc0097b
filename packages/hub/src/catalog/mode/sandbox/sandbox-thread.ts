import type { Worker } from 'node:worker_threads'
import { HubError } from '@herma/contract'
import type { FromSandbox, SandboxLimits, SandboxOutcome, ToSandbox } from './sandbox-message.ts'
import { startSandboxProgram } from './sandbox-program.ts'

/** What a thread needs to run one script. */
export interface ThreadJob {
  readonly code: string
  readonly limits: SandboxLimits
  readonly signal: AbortSignal
  /** Answers what the script asks for, with the text of `{ value }` or `{ error }`. */
  answer(kind: string, json: string): Promise<string>
}

/** How much longer than its own limit a thread may take to say that it reached it. */
const graceMs = 1000

/** A worker thread that runs one script after another. Once it is spent it is ended, and another takes its place. */
export class SandboxThread {
  readonly #worker: Worker
  #isEnded = false

  static async start(): Promise<SandboxThread> {
    try {
      return await new SandboxThread(await startSandboxProgram()).#ready()
    } catch (cause) {
      throw new HubError('INTERNAL', 'The sandbox for scripts did not start. Install Herma again: npm install', {
        cause,
      })
    }
  }

  private constructor(worker: Worker) {
    this.#worker = worker
    worker.on('error', () => (this.#isEnded = true))
    worker.on('exit', () => (this.#isEnded = true))
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Never rejects. After a run that was cut off the thread is ended. */
  async run(job: ThreadJob): Promise<SandboxOutcome> {
    const worker = this.#worker
    worker.ref()
    let isOver = false
    let settle: (outcome: SandboxOutcome, isSpent: boolean) => void = () => undefined
    const settled = new Promise<{ outcome: SandboxOutcome; isSpent: boolean }>((resolve) => {
      settle = (outcome, isSpent) => {
        isOver = true
        resolve({ outcome, isSpent })
      }
    })
    const answer = async (id: number, kind: string, json: string) => {
      const answered = await job.answer(kind, json)
      // The next script of this thread must not get what this one asked for.
      if (!isOver) this.#send({ type: 'answer', id, json: answered })
    }
    const cut = (reason: string) => settle({ status: 'failed', reason, logs: '' }, true)
    const onMessage = (message: FromSandbox) => {
      if (message.type === 'done') settle(message.outcome, message.isSpent)
      else if (message.type === 'ask') void answer(message.id, message.kind, message.json)
    }
    const onEnd = () => cut(`The script used more than the ${job.limits.memoryMiB} MiB of memory that it has.`)
    const onAbort = () => cut('The script was cancelled.')
    const timer = setTimeout(
      () => cut('The script did not end in time, and could not be interrupted.'),
      job.limits.wallMs + graceMs,
    )
    worker.on('message', onMessage).once('error', onEnd).once('exit', onEnd)
    job.signal.addEventListener('abort', onAbort, { once: true })
    if (job.signal.aborted) onAbort()
    else this.#send({ type: 'run', code: job.code, limits: job.limits })

    const { outcome, isSpent } = await settled
    clearTimeout(timer)
    job.signal.removeEventListener('abort', onAbort)
    worker.off('message', onMessage).off('error', onEnd).off('exit', onEnd)
    worker.unref()
    if (isSpent) await this.end()
    return outcome
  }

  async end(): Promise<void> {
    this.#isEnded = true
    await this.#worker.terminate()
  }

  #send(message: ToSandbox): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A thread is no window.
    this.#worker.postMessage(message)
  }

  async #ready(): Promise<this> {
    await new Promise<void>((resolve, reject) => {
      this.#worker.once('message', () => resolve())
      this.#worker.once('error', reject)
      this.#worker.once('exit', (code) => reject(new Error(`The sandbox ended with code ${code} before it began.`)))
    })
    this.#worker.unref()
    return this
  }
}
