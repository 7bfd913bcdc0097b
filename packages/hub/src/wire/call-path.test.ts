import { HubError } from '@herma/contract/plain'
import { expect, test } from 'vitest'
import { enterServer, handTo, isAtWork, readCallPath, writeCallPath } from './call-path.ts'

const begin = () => readCallPath(undefined, () => 'r1')
const enter = (path: ReturnType<typeof begin>, server: string, hub = 'h1', limit = 3) =>
  enterServer(path, { hub, server, limit })

test('a request without a path begins one, and carries it on in its metadata', () => {
  const path = handTo(enter(begin(), 'alpha'), 'coder')
  expect(writeCallPath(path)).toEqual({ 'herma/path': ['h1/alpha>coder'], 'herma/requestId': 'r1' })
  expect(readCallPath(writeCallPath(path), () => 'other')).toEqual(path)
})

test('a server that the request has passed refuses it and names the way, over two hubs too', () => {
  const there = handTo(enter(begin(), 'alpha'), 'coder')
  const back = readCallPath(writeCallPath(handTo(enter(there, 'beta', 'h2'), 'planner')), () => 'x')
  expect(() => enter(back, 'alpha')).toThrow('h1/alpha>coder → h2/beta>planner → h1/alpha')
  expect(codeOf(() => enter(back, 'alpha'))).toBe('CALL_CYCLE')
  expect(enter(back, 'alpha', 'h3').entries).toHaveLength(3)
})

test('a session that works on the request for a team is not asked again as a server of its own', () => {
  const path = handTo(enter(begin(), 'alpha'), 'coder')
  expect(isAtWork(path, 'h1', 'coder')).toBe(true)
  expect(isAtWork(path, 'h1', 'code')).toBe(false)
  expect(isAtWork(path, 'h2', 'coder')).toBe(false)
  expect(codeOf(() => enter(path, 'session:coder'))).toBe('CALL_CYCLE')
  expect(isAtWork(enter(begin(), 'session:coder'), 'h1', 'coder')).toBe(true)
})

test('the hop limit counts served servers, and its error names them', () => {
  const path = enter(enter(begin(), 'a'), 'b', 'h2')
  expect(codeOf(() => enter(path, 'c', 'h3', 2))).toBe('HOP_LIMIT')
  expect(enter(path, 'c', 'h3', 3).entries).toEqual(['h1/a', 'h2/b', 'h3/c'])
})

test.each([null, 'h1/a', [1, {}, 'no slash', 'h/\n', `h/${'x'.repeat(200)}`], { 0: 'h1/a' }])(
  'what is no path is none: %j',
  (given) => {
    expect(readCallPath({ 'herma/path': given, 'herma/requestId': 'a b' }, () => 'r1')).toEqual(begin())
  },
)

function codeOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof HubError) return error.code
  }
  return 'none'
}
