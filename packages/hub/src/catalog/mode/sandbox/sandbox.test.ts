import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { Sandbox, type SandboxJob, type SandboxOptions } from './sandbox.ts'
import type { AskAnswerer } from './sandbox-asks.ts'

// One for most tests, so that each also shows that the one before left nothing behind.
const sandbox = new Sandbox({ maxThreads: 1 })
const hasty = new Sandbox({ maxThreads: 1, limits: { cpuMs: 500 } })
afterAll(() => Promise.all([sandbox.stop(), hasty.stop()]))

const others: Sandbox[] = []
afterEach(async () => {
  await Promise.all(others.splice(0).map((each) => each.stop()))
})

function createSandbox(options: SandboxOptions): Sandbox {
  const created = new Sandbox(options)
  others.push(created)
  return created
}

/** A machine with much to do is slow, and that is no fault. */
const patience = { timeout: 20_000 }

const echo: AskAnswerer = async (kind, payload) => ({ kind, ...payload })

function job(code: string, more: Partial<SandboxJob> = {}): SandboxJob {
  return { code, timeoutMs: 20_000, signal: new AbortController().signal, answer: echo, ...more }
}

async function returned(code: string, more: Partial<SandboxJob> = {}, within = sandbox): Promise<unknown> {
  const outcome = await within.run(job(code, more))
  if (outcome.status === 'failed') throw new Error(outcome.reason)
  return outcome.json === undefined ? undefined : (JSON.parse(outcome.json) as unknown)
}

async function reason(code: string, more: Partial<SandboxJob> = {}, within = sandbox): Promise<string> {
  const outcome = await within.run(job(code, more))
  expect(outcome.status).toBe('failed')
  return outcome.status === 'failed' ? outcome.reason : ''
}

describe('a script', () => {
  test.each([
    ['return 1 + 1', 2],
    ['return { a: [1, null, "ü😀"] }', { a: [1, null, 'ü😀'] }],
    ['const x = await Promise.resolve(3); return x', 3],
    ['', undefined],
    ['return () => 1', undefined],
    ['return 1 // the end', 1],
    ['}); (() => {', undefined],
    ['return await tools.a({ x: 1 })', { kind: 'call', name: 'a', arguments: { x: 1 } }],
    ['return await tools["a-b"]()', { kind: 'call', name: 'a-b', arguments: {} }],
    ['return await callTool("then", { x: 1 })', { kind: 'call', name: 'then', arguments: { x: 1 } }],
    ['return await searchTools("w", 3)', { kind: 'search', query: 'w', limit: 3 }],
    ['return await describeTool("n")', { kind: 'describe', name: 'n' }],
    ['return await sleep(5)', { kind: 'sleep', milliseconds: 5 }],
    ['await tools; return "still an object"', 'still an object'],
  ])('%j returns %j', async (code, value) => {
    expect(await returned(code)).toEqual(value)
  })

  test('calls many tools at once, sixteen at a time', async () => {
    let running = 0
    let most = 0
    const sixteen = deferred()
    const answer: AskAnswerer = async (_, { arguments: args }) => {
      most = Math.max(most, ++running)
      if (running === 16) sixteen.resolve()
      await sixteen.promise
      running--
      return args
    }
    const code = 'return (await Promise.all(Array.from({ length: 50 }, (_, i) => tools.t({ i })))).map(({ i }) => i)'
    expect(await returned(code, { answer })).toEqual(Array.from({ length: 50 }, (_, index) => index))
    expect(most).toBe(16)
  })

  test('may call tools two hundred times', async () => {
    const code = 'for (let i = 0; ; i++) try { await tools.t() } catch (error) { return [i, error.message] }'
    expect(await returned(code)).toEqual([200, expect.stringContaining('may call tools 200 times')])
  })

  test('can catch what a tool throws', async () => {
    const answer: AskAnswerer = async () => await Promise.reject(new Error('no such file'))
    expect(
      await returned('try { await tools.t() } catch (e) { return [e instanceof Error, e.message] }', { answer }),
    ).toEqual([true, 'no such file'])
  })

  test('gets back what it wrote to the console, also when it fails', async () => {
    const outcome = await sandbox.run(
      job('console.log("a", { b: 1 }, new Error("c"))\nconsole.error(undefined)\nthrow 1'),
    )
    expect(outcome).toEqual({ status: 'failed', reason: 'Thrown: 1', logs: 'a {"b":1} Error: c\nundefined\n' })
  })

  test('finds nothing of the script before', async () => {
    await returned('globalThis.left = 1; Array.prototype.left = 1; tools.left = 1')
    expect(await returned('return [typeof left, [].left === undefined]')).toEqual(['undefined', true])
  })
})

describe('an error names the line of the script', () => {
  test.each([
    ['\n  nope()', "ReferenceError: 'nope' is not defined\n    at <anonymous> (script.js:2:3)"],
    ['nope()', "ReferenceError: 'nope' is not defined\n    at <anonymous> (script.js:1:1)"],
    ['const a = 1\na b', "SyntaxError: expecting ';'\n    at script.js:2:3"],
    ['\n\nawait tools.t()', 'Error: failed\n    at <anonymous> (script.js:3:14)'],
    [
      'function f() {\n  throw new TypeError("x")\n}\nf()',
      'TypeError: x\n    at f (script.js:2:22)\n    at <anonymous> (script.js:4:2)',
    ],
  ])('%j', async (code, text) => {
    expect(await reason(code, { answer: async () => await Promise.reject(new Error('failed')) })).toBe(text)
  })

  test.each([
    ['const a = {}; a.a = a; return a', 'The result of the script is not JSON. TypeError: circular reference'],
    ['return 1n', 'The result of the script is not JSON.'],
    ['throw { toJSON() { throw 1 }, toString() { throw 2 } }', 'threw what cannot be shown'],
    ['throw null', 'Thrown: null'],
    ['import "node:fs"', 'SyntaxError'],
    ['return await import("node:fs")', 'ReferenceError'],
  ])('or says what else is wrong: %j', async (code, part) => {
    expect(await reason(code)).toContain(part)
  })
})

describe('a script that misbehaves is stopped, and the next one runs', () => {
  async function stopped(code: string, more: Partial<SandboxJob> = {}, within = sandbox): Promise<string> {
    const said = await reason(code, more, within)
    expect(await returned('return "fine"', {}, within)).toBe('fine')
    expect(within.threadCount).toBe(1)
    return said
  }

  test.each([
    'while (true) {}',
    'for (;;) await null',
    'for (;;) { try { while (true) {} } catch {} }',
    'try { while (true) {} } finally { while (true) {} }',
    'const f = () => Promise.resolve().then(f); await f()',
    'return { toJSON() { while (true) {} } }',
    'throw { toJSON() { while (true) {} } }',
    '/(a+)+$/.test("a".repeat(50) + "b")',
    'new Error().stack; Object.defineProperty(Error.prototype, "name", { get() { while (true) {} } }); throw new Error()',
  ])('endless: %s', async (code) => {
    expect(await stopped(code, {}, hasty)).toContain('computed for more than 0.5 s')
  })

  test.each([
    'const a = []; while (true) a.push(new Array(1e5).fill(1))',
    'const a = []; for (;;) a.push({ x: 1, y: "abc" + a.length })',
    'return "x".repeat(2 ** 29)',
    'let s = "x"; for (;;) s += s',
    'return new Uint8Array(2 ** 30)',
    'new Array(5e8).fill(1)',
    'const a = []; for (;;) { try { a.push(new ArrayBuffer(1e6)) } catch { a.push([]) } }',
  ])('greedy: %s', async (code) => {
    expect(await stopped(code, {}, hasty)).toMatch(/memory|too long|computed for more/)
  })

  test.each([
    'function f() { return f() + 1 } f()',
    'const f = () => JSON.stringify({ toJSON: f }); f()',
    'let a = []; for (let i = 0; i < 2e4; i++) a = [a]; JSON.stringify(a)',
    'return JSON.parse("[".repeat(1e5))',
  ])('deep: %s', async (code) => {
    expect(await stopped(code)).toMatch(/stack overflow|memory/)
  })

  test('waiting for nothing', async () => {
    expect(await stopped('await new Promise(() => {})')).toBe(
      'The script waits for a promise that nothing will ever settle.',
    )
  })

  test('waiting for a call that never ends', async () => {
    const answer: AskAnswerer = () => new Promise(() => undefined)
    expect(await stopped('console.log("x"); await tools.t()', { answer, timeoutMs: 300 })).toMatch(
      /^The script did not end in time\./,
    )
  })

  test('asking too often', async () => {
    const asked = vi.fn<AskAnswerer>(echo)
    expect(await stopped('for (;;) await searchTools("x")', { answer: asked })).toContain('1000 times in all')
    expect(await stopped('for (;;) tools.t()', { answer: asked }, hasty)).toContain('computed for more')
    expect(asked.mock.calls.length).toBeLessThanOrEqual(2000)
  })

  test('handing over too much', async () => {
    const asked = vi.fn<AskAnswerer>(echo)
    expect(await stopped('await tools.t({ a: "x".repeat(5e6) })', { answer: asked })).toContain('at most 4194304 pass')
    expect(asked).not.toHaveBeenCalled()
    const many = 'await Promise.all(Array.from({ length: 9 }, () => tools.t({ a: "x".repeat(2e6) })))'
    expect(await stopped(many, { answer: asked })).toContain('Await some calls before you make more.')
  })

  test('being given too much', async () => {
    const answer: AskAnswerer = async () => 'x'.repeat(9 * 2 ** 20)
    expect(await stopped('await tools.t()', { answer })).toContain('Ask for less.')
  })

  test('being given more than its memory holds', async () => {
    const answer: AskAnswerer = async () => 'x'.repeat(7 * 2 ** 20)
    const code = 'return (await Promise.all(Array.from({ length: 16 }, () => tools.t()))).length'
    expect(await stopped(code, { answer })).toContain('memory')
  })

  test('returning too much', async () => {
    expect(await stopped('return "x".repeat(2 ** 20)')).toMatch(/^The result has 1048578 bytes; at most 1048576/)
  })

  test('writing too much', async () => {
    const outcome = await sandbox.run(job('for (let i = 0; i < 100; i++) console.log("ü".repeat(1000))'))
    expect(outcome.status).toBe('returned')
    expect(outcome.logs.length).toBeLessThan(66_000)
    expect(outcome.logs).toMatch(/\[The console is full\.\]\n$/)
  })
})

describe('there is no way out', () => {
  test('no global of the machine', async () => {
    const names = [
      'process',
      'require',
      'module',
      'fetch',
      'setTimeout',
      'WebAssembly',
      'Worker',
      'Buffer',
      'navigator',
    ]
    const code = `return ${JSON.stringify(names)}.filter((name) => name in globalThis)`
    expect(await returned(code)).toEqual([])
  })

  test.each([
    'tools.constructor("return typeof process")',
    'new tools.x.constructor("return typeof process")()',
    'console.log.constructor("return typeof process")()',
    'callTool.constructor.constructor("return typeof process")()',
    '(await tools.x()).constructor.constructor("return typeof process")()',
    'Object.getPrototypeOf(async () => {}).constructor("return typeof process")()',
    'eval("typeof process")',
  ])('%s', async (code) => {
    expect(['undefined', expect.objectContaining({ kind: 'call' })]).toContainEqual(
      await returned(`return await ${code}`),
    )
  })

  test('redefining what everything is made of breaks the script alone', async () => {
    const tricks = [
      'JSON.parse = JSON.stringify = () => "{}"',
      'Object.prototype.error = "x"; Object.prototype.toJSON = () => 1',
      'Promise.prototype.then = () => { throw 1 }',
      'Array.prototype.map = Array.prototype.join = null',
      'globalThis.Error = globalThis.Proxy = globalThis.Promise = null',
      'Object.defineProperty(Object.prototype, "value", { get() { throw 1 } })',
      'tools.__proto__ = null; tools.constructor = 1; delete globalThis.tools',
    ]
    for (const trick of tricks) {
      await sandbox.run(job(`${trick}; console.log(1); return await callTool("t")`))
      expect(await returned('return await tools.t()')).toMatchObject({ name: 't' })
    }
  })

  test('an answer that comes late never reaches the next script', async () => {
    let answerLate: (value: unknown) => void = () => undefined
    const late = new Promise((resolve) => (answerLate = resolve))
    await returned('tools.first()', { answer: () => late })
    const next = returned('return await tools.second()', {
      answer: async () => {
        answerLate('of the first')
        await late
        await new Promise((resolve) => setTimeout(resolve, 20))
        return 'of the second'
      },
    })
    expect(await next).toBe('of the second')
  })
})

describe('threads', () => {
  test('are as many as allowed, and the others wait', async () => {
    const own = createSandbox({ maxThreads: 2 })
    const outcomes = await Promise.all(Array.from({ length: 6 }, (_, index) => own.run(job(`return ${index}`))))
    expect(outcomes.map((outcome) => outcome.status === 'returned' && outcome.json)).toEqual([
      '0',
      '1',
      '2',
      '3',
      '4',
      '5',
    ])
    expect(own.threadCount).toBe(2)
  })

  test('refuse those who would wait too long or are too many', async () => {
    const own = createSandbox({ maxThreads: 1, maxWaiting: 1 })
    const busy = new AbortController()
    const never = { answer: () => new Promise<never>(() => undefined) }
    const first = own.run(job('await tools.t()', { ...never, signal: busy.signal }))
    const second = own.run(job('return 2', { timeoutMs: 50 }))
    const third = await own.run(job('return 3'))
    expect(third).toMatchObject({ status: 'failed', reason: expect.stringContaining('Too many scripts') as string })
    expect(await second).toMatchObject({ reason: expect.stringContaining('Too many scripts') as string })
    busy.abort()
    expect(await first).toMatchObject({ reason: 'The script was cancelled.' })
  })

  test('end when nobody needs them', async () => {
    const own = createSandbox({ maxThreads: 1, idleMs: 10 })
    await own.run(job('return 1'))
    await vi.waitFor(() => expect(own.threadCount).toBe(0), patience)
    expect(await own.run(job('return 2'))).toMatchObject({ json: '2' })
  })

  test('end when a script is cancelled, even one that computes', async () => {
    const own = createSandbox({ maxThreads: 1 })
    const cancel = new AbortController()
    const asked = deferred()
    const running = own.run(
      job('await tools.t(); for (;;) {}', { signal: cancel.signal, answer: async () => asked.resolve() }),
    )
    await asked.promise
    cancel.abort()
    expect(await running).toEqual({ status: 'failed', reason: 'The script was cancelled.', logs: '' })
    expect(own.threadCount).toBe(0)
    expect(await own.run(job('return 1', { signal: cancel.signal }))).toMatchObject({ status: 'failed' })
    expect(own.threadCount).toBe(0)
  })

  test('stop with the sandbox, and what has not begun never does', async () => {
    const own = new Sandbox({ maxThreads: 1 })
    const answer = vi.fn<AskAnswerer>(
      async (_, __, signal) => await new Promise((resolve) => signal.addEventListener('abort', resolve)),
    )
    const running = own.run(job('await Promise.all(Array.from({ length: 30 }, () => tools.t()))', { answer }))
    const waiting = own.run(job('return 1'))
    await vi.waitFor(() => expect(answer).toHaveBeenCalledTimes(16), patience)
    await own.stop()
    expect(await running).toMatchObject({ status: 'failed' })
    expect(await waiting).toMatchObject({ status: 'failed', reason: 'The script was cancelled.' })
    expect(await own.run(job('return 1'))).toMatchObject({ status: 'failed' })
    expect(answer).toHaveBeenCalledTimes(16)
    expect(own.threadCount).toBe(0)
  })
})

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((settle) => (resolve = settle))
  return { promise, resolve }
}
