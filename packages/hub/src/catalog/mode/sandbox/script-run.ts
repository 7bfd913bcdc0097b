import type { QuickJSContext, QuickJSDeferredPromise, QuickJSHandle, QuickJSWASMModule } from 'quickjs-emscripten-core'
import type { SandboxLimits, SandboxOutcome } from './sandbox-message.ts'
import { sandboxPrelude, scriptName } from './sandbox-prelude.ts'

export interface ScriptHost {
  /** The script wants something of the hub; the answer comes through `answer`. */
  ask(id: number, kind: string, json: string): void
  done(outcome: SandboxOutcome): void
}

// On the line of the script's first words, so that the lines of its errors are its own.
const opening = '(async () => {'
const closing = '\n})()'

/**
 * One script in one QuickJS. The instance of QuickJS serves this script alone and is thrown away with it, so a run
 * leaves nothing behind, and nothing here has to be freed.
 */
export class ScriptRun {
  readonly #context: QuickJSContext
  readonly #limits: SandboxLimits
  readonly #host: ScriptHost
  readonly #endsAt: number
  readonly #timer: NodeJS.Timeout
  readonly #pending = new Map<number, { deferred: QuickJSDeferredPromise; length: number }>()
  #pendingLength = 0
  #promise: QuickJSHandle | undefined
  #helpers: { finish: QuickJSHandle; explain: QuickJSHandle } | undefined
  #nextId = 1
  #logs = ''
  #logBytesLeft: number
  #computedMs = 0
  #enteredAt = 0
  #stopReason: string | undefined
  #isDone = false

  constructor(quickJs: QuickJSWASMModule, limits: SandboxLimits, host: ScriptHost) {
    const runtime = quickJs.newRuntime()
    this.#context = runtime.newContext()
    this.#limits = limits
    this.#host = host
    this.#logBytesLeft = limits.logBytes
    this.#endsAt = performance.now() + limits.wallMs
    // A little less than the memory that there is: reaching this limit is an error that a script can report, reaching
    // the other one may break QuickJS.
    runtime.setMemoryLimit((limits.memoryMiB - 12) * 2 ** 20)
    runtime.setMaxStackSize(256 * 1024)
    runtime.setInterruptHandler(() => this.#mustStop())
    this.#timer = setTimeout(() => {
      this.#stopReason ??= this.#wallReason()
      this.#fail(this.#stopReason)
    }, limits.wallMs)
  }

  start(code: string): void {
    this.#enter(() => {
      this.#loadPrelude()
      const result = this.#context.evalCode(opening + code + closing, scriptName)
      if (result.error) this.#failWith(result.error)
      else this.#promise = result.value
    })
  }

  /** Gives the script what it asked for, and lets it go on. */
  answer(id: number, json: string): void {
    const pending = this.#pending.get(id)
    if (pending === undefined || this.#isDone) return
    this.#pending.delete(id)
    this.#pendingLength -= pending.length
    this.#enter(() => this.#context.newString(json).consume((handle) => pending.deferred.resolve(handle)))
  }

  end(): void {
    this.#isDone = true
    clearTimeout(this.#timer)
  }

  #enter(step: () => void): void {
    this.#enteredAt = performance.now()
    try {
      step()
      if (!this.#isDone) this.#advance()
    } catch (error) {
      // Time may run out anywhere, and what is interrupted throws; all else is for whoever owns this instance.
      if (this.#stopReason === undefined) throw error
      this.#fail(this.#stopReason)
    }
    this.#computedMs += performance.now() - this.#enteredAt
  }

  #advance(): void {
    const jobs = this.#context.runtime.executePendingJobs()
    if (jobs.error) return this.#failWith(jobs.error)
    const state = this.#context.getPromiseState(this.#promise!)
    if (state.type === 'fulfilled') this.#finish(state.value)
    else if (state.type === 'rejected') this.#failWith(state.error)
    else if (this.#stopReason !== undefined) this.#fail(this.#stopReason)
    else if (this.#pending.size === 0) this.#fail('The script waits for a promise that nothing will ever settle.')
  }

  #loadPrelude(): void {
    const context = this.#context
    const ask = context.newFunction('ask', (kind, json) => this.#ask(context.getString(kind), context.getString(json)))
    const write = context.newFunction('write', (text) => this.#write(context.getString(text)))
    const prelude = context.unwrapResult(context.evalCode(sandboxPrelude, 'herma.js'))
    const helpers = context.unwrapResult(context.callFunction(prelude, context.undefined, ask, write))
    this.#helpers = { finish: context.getProp(helpers, 'finish'), explain: context.getProp(helpers, 'explain') }
  }

  // What is too much is refused here already, so that no script floods the hub.
  #ask(kind: string, json: string): QuickJSHandle {
    const { asks, askLength } = this.#limits
    const id = this.#nextId++
    if (id > asks) throw new Error(`A script may call, search, describe and sleep ${asks} times in all.`)
    if (json.length > askLength) throw new Error(`Arguments have ${json.length} characters; at most ${askLength} pass.`)
    if (this.#pendingLength + json.length > 4 * askLength) {
      throw new Error('Too much is handed over at once. Await some calls before you make more.')
    }
    const deferred = this.#context.newPromise()
    this.#pending.set(id, { deferred, length: json.length })
    this.#pendingLength += json.length
    this.#host.ask(id, kind, json)
    return deferred.handle
  }

  #mustStop(): boolean {
    const now = performance.now()
    if (this.#computedMs + now - this.#enteredAt > this.#limits.cpuMs) {
      this.#stopReason ??= `The script computed for more than ${this.#limits.cpuMs / 1000} s. Is there an endless loop?`
    } else if (now > this.#endsAt) {
      this.#stopReason ??= this.#wallReason()
    }
    return this.#stopReason !== undefined
  }

  #wallReason(): string {
    const waiting = this.#pending.size === 0 ? '' : ` It was waiting for ${this.#pending.size} call(s).`
    return `The script did not end in time.${waiting} Do less at once, or allow more time.`
  }

  #write(text: string): void {
    if (this.#logBytesLeft <= 0) return
    const bytes = Buffer.byteLength(text) + 1
    if (bytes > this.#logBytesLeft) {
      this.#logs += `${Buffer.from(text).subarray(0, this.#logBytesLeft).toString()}\n[The console is full.]\n`
    } else {
      this.#logs += `${text}\n`
    }
    this.#logBytesLeft -= bytes
  }

  #finish(value: QuickJSHandle): void {
    const result = this.#context.callFunction(this.#helpers!.finish, this.#context.undefined, value)
    if (result.error) return this.#failWith(result.error, 'The result of the script is not JSON. ')
    const isJson = this.#context.typeof(result.value) === 'string'
    const json = isJson ? this.#context.getString(result.value) : undefined
    const bytes = Buffer.byteLength(json ?? '')
    if (bytes <= this.#limits.resultBytes) return this.#end({ status: 'returned', json, logs: this.#logs })
    this.#fail(
      `The result has ${bytes} bytes; at most ${this.#limits.resultBytes} are passed on. Return less: pick fields, ` +
        `filter, or count. It begins: ${json!.slice(0, 500)}`,
    )
  }

  #failWith(error: QuickJSHandle, prefix = ''): void {
    if (this.#stopReason !== undefined) return this.#fail(this.#stopReason)
    const explained = this.#context.callFunction(this.#helpers!.explain, this.#context.undefined, error)
    if (explained.error) return this.#fail(this.#stopReason ?? `${prefix}The script threw what cannot be shown.`)
    const { message, stack } = JSON.parse(this.#context.getString(explained.value)) as Record<string, string>
    const memory = message!.includes('out of memory') ? ` (A script has ${this.#limits.memoryMiB} MiB.)` : ''
    this.#fail([`${prefix}${message!.slice(0, 10_000)}${memory}`, ...scriptLines(stack!)].join('\n'))
  }

  #fail(reason: string): void {
    this.#end({ status: 'failed', reason, logs: this.#logs })
  }

  #end(outcome: SandboxOutcome): void {
    if (this.#isDone) return
    this.end()
    this.#host.done(outcome)
  }
}

// Frames of the prelude say nothing to the author of the script.
function scriptLines(stack: string): string[] {
  return stack
    .split('\n')
    .filter((line) => line.includes(`${scriptName}:`) && !line.includes('<eval>'))
    .slice(0, 10)
    .map((line) =>
      line.replace(/script\.js:1:(\d+)/, (_, column) => `script.js:1:${Math.max(1, Number(column) - opening.length)}`),
    )
}
