import { describe, expect, test } from 'vitest'
import { metaKeys, type Caller, type Era } from '../wire/index.ts'
import { isLogLevel, logLevels, lowerLevel, passesLog, requestedLevel } from './log-level.ts'

const caller = (era: Era, logLevel: string | null): Caller => ({
  principal: 'operator',
  server: 'facade',
  era,
  logLevel,
  revision: '',
  clientInfo: undefined,
  capabilities: {},
  connectionId: null,
})

test.each(logLevels)('%s is a level', (level) => {
  expect(isLogLevel(level)).toBe(true)
})

test.each(['', 'DEBUG', 'warn', 'toString', '__proto__', null, undefined, 0, ['debug']])('%j is no level', (level) => {
  expect(isLogLevel(level)).toBe(false)
})

test('the lower of two levels is the one that lets more through', () => {
  for (const [a, low] of logLevels.entries()) {
    for (const high of logLevels.slice(a)) {
      expect([lowerLevel(low, high), lowerLevel(high, low)]).toEqual([low, low])
    }
    expect([lowerLevel(low, null), lowerLevel(null, low)]).toEqual([low, low])
  }
  expect(lowerLevel(null, null)).toBeNull()
})

describe('a log message', () => {
  test('passes from the level on that the client set', () => {
    for (const [index, wanted] of logLevels.entries()) {
      const passed = logLevels.filter((level) => passesLog({ level }, caller('legacy', wanted)))
      expect(passed).toEqual(logLevels.slice(index))
    }
  })

  test('passes to a legacy client that never set a level, and not to a modern one', () => {
    expect(passesLog({ level: 'debug' }, caller('legacy', null))).toBe(true)
    expect(passesLog({ level: 'emergency' }, caller('modern', null))).toBe(false)
  })

  test.each([undefined, {}, { level: 'loud' }, { level: 5 }])(
    'without a known level counts as the lowest: %j',
    (params) => {
      expect(passesLog(params, caller('legacy', 'debug'))).toBe(true)
      expect(passesLog(params, caller('legacy', 'info'))).toBe(false)
    },
  )
})

test.each([
  [{}, null],
  [{ [metaKeys.logLevel]: 5 }, null],
  [{ [metaKeys.logLevel]: 'info' }, 'info'],
])('of the metadata %j the level is %j', (meta, level) => {
  expect(requestedLevel(meta)).toBe(level)
})
