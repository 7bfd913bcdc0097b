import type { Caller } from '../../wire/index.ts'
import { expect, test } from 'vitest'
import { LinkGroups, type GroupedRole } from './link-groups.ts'
import { createCaller, TestCall } from '../testing/test-call.ts'
import { createConnector, createHandshake, createSupervisor, TestLink } from '../testing/test-link.ts'

function createGroups({
  isPersonal = true,
  reader = 'operator',
  era = 'modern',
}: { isPersonal?: boolean; reader?: string; era?: 'legacy' | 'modern' } = {}) {
  const roles: GroupedRole[] = []
  const state = { reader }
  const groups = new LinkGroups(createConnector({}, 'stdio'), {
    create: (role) => {
      roles.push(role)
      return createSupervisor(() => new TestLink())
    },
    known: () => createHandshake(era),
    distinctions: new Set(),
    isNeeded: () => false,
    isPersonal,
    reader: () => state.reader,
  })
  return { groups, roles, state }
}

const callOf = (principal: string, connectionId: string | null = null) =>
  new TestCall(callerOf(principal, connectionId))

function callerOf(principal: string, connectionId: string | null = null): Caller {
  return { ...createCaller(connectionId), principal }
}

test.each(['legacy', 'modern'] as const)('no two principals share a link of a %s server', (era) => {
  const { groups, roles } = createGroups({ era })
  const [ann, bob] = [groups.for(callOf('user:ann'))!, groups.for(callOf('user:bob'))!]
  expect(ann).not.toBe(bob)
  expect(groups.for(callOf('user:ann'))).toBe(ann)
  expect(new Set([groups.shared, ann, bob]).size).toBe(3)
  expect(groups.serves(ann, callerOf('user:ann'))).toBe(true)
  expect(groups.serves(ann, callerOf('user:bob'))).toBe(false)
  expect(groups.serves(ann, callerOf('user:eve'))).toBe(false)
  expect(groups.of(callerOf('user:eve'))).toBeNull()
  expect(new Set(roles.map(({ principal }) => principal))).toEqual(new Set(['operator', 'user:ann', 'user:bob']))
})

test('where one sign-in serves all, principals share links', () => {
  const { groups } = createGroups({ isPersonal: false })
  expect(groups.for(callOf('user:ann'))).toBe(groups.for(callOf('user:bob')))
  expect(groups.for(callOf('user:ann'))).toBe(groups.shared)
})

test('the lists are read on behalf of whoever has credentials', () => {
  const { groups, roles, state } = createGroups()
  expect(groups.isBase(roles[0]!)).toBe(true)
  const ann = groups.for(callOf('user:ann'))!
  expect(groups.isBase(roles[1]!)).toBe(false)
  state.reader = 'user:ann'
  groups.rebase()
  expect(groups.shared).toBe(ann)
  expect(groups.isBase(roles[1]!)).toBe(true)
})

test('a principal that has not called for a while is forgotten, one with a call under way is not', async () => {
  const { groups } = createGroups()
  const idle = groups.for(callOf('user:ann'))!
  const busy = groups.for(callOf('user:bob'))!
  const link = await busy.get()
  link.send(callOf('user:bob'))
  groups.sweep(performance.now() + 700_000)
  expect(groups.all()).toEqual([groups.shared, busy])
  expect(groups.for(callOf('user:ann'))).not.toBe(idle)
})

test('there are so many principals at once and no more, and idle ones make room', async () => {
  const { groups } = createGroups()
  for (let count = 1; count < 32; count++) groups.for(callOf(`user:${count}`))
  expect(groups.all()).toHaveLength(32)
  groups.for(callOf('user:more'))
  expect(groups.all()).toHaveLength(32)
  for (const supervisor of groups.all()) (await supervisor.get()).send(callOf('anybody'))
  expect(() => groups.for(callOf('user:too-many'))).toThrow(/serves 32 principals at once/)
})

test('changed credentials close the links of their principal only', async () => {
  const { groups } = createGroups()
  const [ann, bob] = [groups.for(callOf('user:ann'))!, groups.for(callOf('user:bob'))!]
  const links = await Promise.all([ann.get(), bob.get(), groups.shared.get()])
  await groups.drop('user:ann')
  expect(links.map(({ isClosed }) => isClosed)).toEqual([true, false, false])
  await groups.drop('operator')
  expect(links.map(({ isClosed }) => isClosed)).toEqual([true, false, true])
})
