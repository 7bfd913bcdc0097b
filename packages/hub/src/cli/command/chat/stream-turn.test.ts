import type { ChatEvent } from '@herma/contract'
import { expect, test } from 'vitest'

import { createSeenEvents } from './stream-turn.ts'

const text = (piece: string): ChatEvent => ({ type: 'text-delta', text: piece })
const call = (id: string): ChatEvent => ({ type: 'tool-call', id, name: 'read', arguments: {} })

test('of a turn that is told again, only what is new passes', () => {
  const seen = createSeenEvents()
  const pass = (...events: ChatEvent[]) => events.map((event) => seen.pass(event)).filter((event) => event !== null)
  expect(pass(text('Hel'), text('lo'), call('1'), text(' wor'))).toHaveLength(4)
  seen.restart()
  expect(pass(text('Hello'), call('1'), text(' world'), call('2'), text('!'))).toEqual([
    text('ld'),
    call('2'),
    text('!'),
  ])
})
