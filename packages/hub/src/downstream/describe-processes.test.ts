import type { ConnectorOptions } from '@herma/contract'
import { expect, test } from 'vitest'
import { relayedCapabilities } from '../wire/index.ts'
import { describeProcesses } from './describe-processes.ts'
import type { Distinction } from './supervision/distinction.ts'
import type { LinkRole } from './supervision/link-group.ts'
import type { GroupedRole } from './supervision/link-groups.ts'
import type { LinkSupervisor } from './supervision/link-supervisor.ts'
import { createSupervisor, TestLink } from './testing/test-link.ts'

interface Told {
  readonly isolation?: ConnectorOptions['isolation']
  readonly isPersonal?: boolean
  readonly distinctions?: readonly Distinction[]
}

async function reasons(roles: readonly (LinkRole | 'idle')[], facts: Told = {}): Promise<string[]> {
  const known = new Map<LinkSupervisor, GroupedRole>()
  for (const [index, role] of roles.entries()) {
    const link = new TestLink()
    Object.defineProperty(link, 'processId', { value: index + 1 })
    const supervisor = createSupervisor(() => link)
    known.set(supervisor, { ...(role === 'idle' ? { kind: 'shared' } : role), principal: 'user:ann' })
    if (role !== 'idle') await supervisor.get()
  }
  const { isolation = 'shared', isPersonal = false, distinctions = [] } = facts
  return describeProcesses([...known.keys()], (supervisor) => known.get(supervisor)!, {
    isolation,
    isPersonal,
    distinctions: new Set(distinctions),
  }).map(({ processId, reason }) => `${processId} ${reason}`)
}

const shared: LinkRole = { kind: 'shared' }
const lane = (capabilities: object): LinkRole => ({ kind: 'lane', capabilities: { ...capabilities } })

test('one process is for all, and none is shown that does not run', async () => {
  expect(await reasons([shared])).toEqual(['1 for all clients'])
  expect(await reasons(['idle'])).toEqual([])
  expect(await reasons([shared], { isPersonal: true })).toEqual(['1 for all clients, of user:ann'])
})

test('another one says which clients it is for', async () => {
  const { elicitation: _, ...silent } = relayedCapabilities
  expect(await reasons([shared, lane(silent), lane({ ...relayedCapabilities, sampling: {} })])).toEqual([
    '1 for all other clients',
    '2 for clients without elicitation, which the server asks for',
    '3 for clients without sampling.context and sampling.tools, which the server asks for',
  ])
  expect(await reasons([lane({}), lane({ roots: {}, sampling: {} })], { distinctions: ['tools'] })).toEqual([
    '1 for clients that can do nothing, because its tools depend on it',
    '2 for clients that can do roots, sampling, because its tools depend on it',
  ])
  expect(await reasons([shared, { ...lane(relayedCapabilities), isSpread: true } as LinkRole])).toEqual([
    '1 for all clients',
    '2 for one more client at a time, because the server asks without saying whom',
  ])
})

test('the option isolation is named where it is the reason', async () => {
  expect(await reasons([shared, lane({ roots: {} })], { isolation: 'kind' })).toEqual([
    '1 to read the lists, and for clients that can do everything (isolation=kind)',
    '2 for clients that can do roots (isolation=kind)',
  ])
  const own: LinkRole = { kind: 'connection', connectionId: 'a', capabilities: {} }
  expect(await reasons([own], { isolation: 'connection' })).toEqual(['1 for one client (isolation=connection)'])
  expect(await reasons([shared], { isolation: 'single' })).toEqual(['1 for all clients (isolation=single)'])
})
