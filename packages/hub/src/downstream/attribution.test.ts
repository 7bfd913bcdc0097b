import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Attribution } from './attribution.ts'
import type { Pending } from './link.ts'
import { createCaller, TestCall } from './testing/test-call.ts'
import { createPending } from './testing/test-link.ts'

let pending: Map<number, Pending>
let attribution: Attribution

beforeEach(() => {
  vi.useFakeTimers()
  pending = new Map()
  attribution = new Attribution(pending)
})
afterEach(() => vi.useRealTimers())

function begin(id: number, connectionId: string | null = null): Pending {
  const call = createPending(id, new TestCall(createCaller(connectionId)))
  pending.set(id, call)
  return call
}

function end(id: number): void {
  pending.delete(id)
  attribution.look()
}

/** Asks, and shows the outcome once there is one. */
function ask(signal = new AbortController().signal): { outcome: Pending | null | undefined } {
  const asked: { outcome: Pending | null | undefined } = { outcome: undefined }
  void attribution.find(signal).then((found) => {
    asked.outcome = found
  })
  return asked
}

const settle = () => vi.advanceTimersByTimeAsync(0)

describe('a question that names no call', () => {
  test('belongs to nobody when nothing is under way', async () => {
    expect(await attribution.find(new AbortController().signal)).toBeNull()
  })

  test('belongs to the only call there is', async () => {
    const only = begin(1)
    expect(await attribution.find(new AbortController().signal)).toBe(only)
  })

  test('belongs to the only client there is, however many calls it has', async () => {
    begin(1, 'a')
    begin(2, 'a')
    const found = await attribution.find(new AbortController().signal)
    expect(found?.call.caller.connectionId).toBe('a')
  })

  test('waits while it may belong to two clients, and goes to the one that is left', async () => {
    const [, second] = [begin(1, 'a'), begin(2)]
    const asked = ask()
    await settle()
    expect(asked.outcome).toBeUndefined()
    expect(attribution.isWaiting).toBe(true)
    end(1)
    await settle()
    expect(asked.outcome).toBe(second)
    expect(attribution.isWaiting).toBe(false)
  })

  test('cannot belong to a call that began after it', async () => {
    begin(1)
    const second = begin(2)
    const asked = ask()
    begin(3)
    end(1)
    await settle()
    expect(asked.outcome).toBe(second)
  })

  test('belongs to nobody when all that it may belong to are over', async () => {
    begin(1)
    begin(2)
    const asked = ask()
    pending.delete(1)
    pending.delete(2)
    attribution.look()
    await settle()
    expect(asked.outcome).toBeNull()
  })

  test('is given up when as many wait as there are clients', async () => {
    begin(1)
    begin(2)
    const first = ask()
    await settle()
    expect(first.outcome).toBeUndefined()
    ask()
    await settle()
    expect(first.outcome).toBeNull()
  })

  test('is given up in the end', async () => {
    begin(1)
    begin(2)
    const asked = ask()
    await vi.advanceTimersByTimeAsync(59_000)
    expect(asked.outcome).toBeUndefined()
    await vi.advanceTimersByTimeAsync(2000)
    expect(asked.outcome).toBeNull()
    expect(attribution.isWaiting).toBe(false)
  })

  test('is given up when the server withdraws it', async () => {
    begin(1)
    begin(2)
    const controller = new AbortController()
    const asked = ask(controller.signal)
    controller.abort()
    await settle()
    expect(asked.outcome).toBeNull()
    expect(vi.getTimerCount()).toBe(0)
  })
})
