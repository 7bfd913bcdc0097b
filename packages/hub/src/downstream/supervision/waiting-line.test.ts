import { beforeEach, describe, expect, test } from 'vitest'
import { createCaller, TestCall } from '../testing/test-call.ts'
import { createConnector } from '../testing/test-link.ts'
import { WaitingLine } from './waiting-line.ts'

let sent: TestCall[]
let room: number
let line: WaitingLine

beforeEach(() => {
  sent = []
  room = 0
  line = new WaitingLine('id', createConnector({ requestTimeoutMs: 1000 }), (call) => {
    if (room === 0) return false
    room--
    sent.push(call as TestCall)
    return true
  })
})

function join(): TestCall {
  const call = new TestCall(createCaller())
  line.add(call)
  return call
}

describe('the line of a busy server', () => {
  test('is served in the order of arrival, as far as there is room', () => {
    const calls = [join(), join(), join()]
    line.advance()
    expect(line.length).toBe(3)
    room = 2
    line.advance()
    expect(sent).toEqual(calls.slice(0, 2))
    room = 5
    line.advance()
    line.advance()
    expect(sent).toEqual(calls)
    expect(line.length).toBe(0)
  })

  test('is left by a call that is cancelled, which is never sent', () => {
    const [first, second] = [join(), join()]
    first.cancel()
    expect(line.length).toBe(1)
    room = 5
    line.advance()
    expect(sent).toEqual([second])
  })

  test('loses and repeats nothing when sending makes it move again', () => {
    const added: TestCall[] = []
    const nested: WaitingLine = new WaitingLine('id', createConnector(), (call) => {
      sent.push(call as TestCall)
      // A call that fails at once ends another, which moves the line, and a new one joins it.
      nested.advance()
      if (added.length < 3) {
        const next = new TestCall()
        added.push(next)
        nested.add(next)
      }
      return true
    })
    const calls = [new TestCall(), new TestCall()]
    for (const call of calls) nested.add(call)
    while (nested.length > 0) nested.advance()
    expect(sent).toHaveLength(5)
    expect(new Set(sent)).toEqual(new Set([...calls, ...added]))
  })

  test('is left with a clear error by a call that waited for too long', () => {
    const call = join()
    line.endOverdue(performance.now() + 900)
    expect(call.isDone).toBe(false)
    line.endOverdue(performance.now() + 1100)
    expect(call.error).toMatchObject({ code: 'OVERLOADED', message: expect.stringContaining('did not run') })
    expect(line.length).toBe(0)
    room = 1
    line.advance()
    expect(sent).toEqual([])
  })

  test('has no limit of time when the connector has none', () => {
    const patient = new WaitingLine('id', createConnector({ requestTimeoutMs: 0 }), () => false)
    const call = new TestCall()
    patient.add(call)
    patient.endOverdue(performance.now() + 1e9)
    expect(call.isDone).toBe(false)
    expect(call.runner).toMatchObject({ connector: 'srv', connectorId: 'id' })
  })
})
