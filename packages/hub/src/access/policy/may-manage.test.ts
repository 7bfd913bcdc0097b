import type { Principal, Role } from '@herma/contract'
import { api, type ApiOperation } from '@herma/contract/api'
import { expect, test } from 'vitest'
import { leastRole, mayAppoint, mayManage, mayTouch } from './may-manage.ts'

const user: Principal = { id: 'user:ana', kind: 'user', name: 'ana', role: 'member', scopes: null, servers: null }
const named = (id: keyof typeof api) => ({ ...(api[id] as ApiOperation), id })
const reading = named('listConnectors')
const changing = named('addConnector')
const rotating = named('rotateSecretKeys')

// A new operation shows up here, so that its role is chosen and not stumbled into.
test('every operation of the management API has its least role', () => {
  const asked = (Object.keys(api) as (keyof typeof api)[])
    .map(named)
    .filter(({ role }) => role !== 'public')
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
  expect(asked.map((operation) => `${leastRole(operation).padEnd(6)} ${operation.id}`)).toMatchSnapshot()
})

test.each([
  ['a viewer looks', 'viewer', reading, true],
  ['a viewer changes', 'viewer', changing, false],
  ['a member looks', 'member', reading, true],
  ['a member changes', 'member', changing, false],
  ['a member makes a key', 'member', named('addKey'), true],
  ['a viewer makes a key', 'viewer', named('addKey'), false],
  ['an admin changes', 'admin', changing, true],
  ['an admin turns the keys of the hub', 'admin', rotating, false],
  ['an owner does', 'owner', rotating, true],
  ['an admin uses an operation that nobody named', 'admin', { id: 'new', method: 'DELETE' }, true],
  ['a member does', 'member', { id: 'new', method: 'DELETE' }, false],
] as [string, Role, { id: string; method: string }, boolean][])('%s', (_name, role, route, allowed) => {
  expect(mayManage({ ...user, role }, route).allowed).toBe(allowed)
})

test.each([
  ['a key with the scope admin has its role', { kind: 'key', role: 'admin', scopes: ['admin'] }, changing, true],
  ['and never more', { kind: 'key', role: 'viewer', scopes: ['admin'] }, changing, false],
  ['a key without it has nothing', { kind: 'key', role: 'owner', scopes: ['mcp'] }, reading, false],
  ['nor has one whose scopes are not said', { kind: 'key', role: 'owner', scopes: null }, reading, false],
  ['a token of a user needs it too', { kind: 'user', role: 'owner', scopes: ['mcp'], clientId: 'c' }, reading, false],
  ['a client needs it', { kind: 'client', role: 'owner', scopes: ['mcp:read'] }, reading, false],
  ['everybody may ask who they are', { kind: 'key', role: 'viewer', scopes: ['mcp'] }, named('whoAmI'), true],
] as [string, Partial<Principal>, { id: string; method: string }, boolean][])('%s', (_name, fields, route, allowed) => {
  const missingScope = allowed || fields.scopes?.includes('admin') ? null : 'admin'
  expect(mayManage({ ...user, ...fields }, route)).toMatchObject({ allowed, missingScope })
})

test.each([
  ['one touches what is one’s own', 'member', { owner: 'user:ana', role: 'member' }, true],
  ['a member does not touch what others have', 'member', { owner: 'user:bob', role: 'viewer' }, false],
  ['an admin does', 'admin', { owner: 'user:bob', role: 'member' }, true],
  ['but not what other admins have', 'admin', { owner: 'user:bob', role: 'admin' }, false],
  ['an admin touches what is their own', 'admin', { owner: 'user:ana', role: 'admin' }, true],
  ['but not what an owner has', 'admin', { owner: 'user:bob', role: 'owner' }, false],
  ['an owner touches everything', 'owner', { owner: 'user:bob', role: 'owner' }, true],
  ['nobody touches what can do more than they can', 'member', { owner: 'user:ana', role: 'admin' }, false],
] as [string, Role, { owner: string; role: Role }, boolean][])('%s', (_name, role, belonging, allowed) => {
  expect(mayTouch({ ...user, role }, belonging).allowed).toBe(allowed)
})

test.each([
  ['owner', 'owner', true],
  ['owner', 'admin', true],
  ['admin', 'owner', false],
  ['admin', 'admin', false],
  ['admin', 'member', true],
  ['member', 'member', true],
  ['viewer', 'member', false],
] as [Role, Role, boolean][])('%s gives the role %s: %s', (role, given, allowed) => {
  expect(mayAppoint({ ...user, role }, given).allowed).toBe(allowed)
})
