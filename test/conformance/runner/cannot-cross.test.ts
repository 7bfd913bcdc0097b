import { expect, test } from 'vitest'
import { cannotCross, excusedChecks, explain, findUnknownEntries } from './cannot-cross.ts'
import { isCrossing, legs } from './legs.ts'

test('every entry is about a leg that crosses eras and has a reason with a section of the specification', () => {
  const crossing = legs.filter(isCrossing).map(({ name }) => name)
  for (const { leg, checks, reason, link } of cannotCross) {
    expect(crossing).toContain(leg)
    expect(checks).not.toEqual([])
    expect(reason).toMatch(/\.$/)
    expect(link).toMatch(/^https:\/\/modelcontextprotocol\.io\/specification\/\d{4}-\d\d-\d\d\/.+/)
  }
})

test('what is excused on one leg is not excused on another', () => {
  expect(excusedChecks('2025-11-25-over-modern', 'server-sse-polling')).toEqual(['server-sse-disconnect-resume'])
  expect(excusedChecks('2025-11-25', 'server-sse-polling')).toEqual([])
  expect(explain('2025-11-25-over-modern', 'server-sse-polling')).toMatch(/^cannot cross: .+ \(https:/)
})

test('an entry whose scenario the suite does not have any more is found', () => {
  const [entry] = cannotCross
  const ran = (scenario: string) => [{ name: entry!.leg, results: [{ scenario }] }]
  expect(findUnknownEntries(ran('gone'), [entry!])).toEqual([expect.stringContaining('no such scenario')])
  expect(findUnknownEntries(ran(entry!.scenario), [entry!])).toEqual([])
  expect(findUnknownEntries([], [entry!])).toEqual([])
})
