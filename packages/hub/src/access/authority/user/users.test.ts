import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Principal, Role, UserView } from '@herma/contract'
import { operator } from '../../../wire/index.ts'
import { OAuthClient } from '../testing/oauth-client.ts'
import { startAuthority, testPassword, type TestAuthority } from '../testing/start-authority.ts'

let hub: TestAuthority

beforeAll(async () => {
  hub = await startAuthority()
})
afterAll(() => hub[Symbol.asyncDispose]())

const as = (role: Role, name = role): Principal => ({ ...operator, id: `user:${name}`, kind: 'user', name, role })

describe('managing users', () => {
  test('an owner stays in any case', async () => {
    const { users } = hub.authority
    await users.add({ name: 'first', role: 'owner' }, operator)
    for (const attempt of [
      () => users.update('first', { role: 'admin' }, operator),
      () => users.update('first', { disabled: true }, operator),
      () => users.remove('first', operator),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'FORBIDDEN' })
    // Both at once would leave nobody, if they did not wait for each other.
    for (let round = 0; round < 10; round++) {
      const [{ name }] = (await users.list()) as [UserView]
      await users.add({ name: `owner-${round}`, role: 'owner' }, operator)
      await Promise.allSettled([users.remove(name, operator), users.remove(`owner-${round}`, operator)])
      expect((await users.list()).filter(({ role }) => role === 'owner')).toHaveLength(1)
    }
  })

  test('nobody reaches above their own role', async () => {
    const { users } = hub.authority
    await users.add({ name: 'boss', role: 'owner' }, operator)
    for (const attempt of [
      () => users.add({ name: 'crony', role: 'owner' }, as('admin')),
      () => users.update('boss', { role: 'viewer' }, as('admin')),
      () => users.reset('boss', as('admin')),
      () => users.remove('boss', as('admin')),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await users.add({ name: 'helper', role: 'member' }, as('admin'))
    await expect(users.update('helper', { role: 'owner' }, as('admin'))).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  test('who is an admin is for owners to say; one’s own is for oneself', async () => {
    const { users } = hub.authority
    await users.add({ name: 'second', role: 'admin' }, operator)
    await users.add({ name: 'simple' }, operator)
    for (const attempt of [
      () => users.add({ name: 'third', role: 'admin' }, as('admin')),
      () => users.update('simple', { role: 'admin' }, as('admin')),
      () => users.update('second', { disabled: true }, as('admin')),
      () => users.reset('second', as('admin')),
      () => users.remove('second', as('admin')),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const self: Principal = { ...as('admin'), id: 'user:second', name: 'second' }
    expect(await users.update('second', { email: 'second@example.com' }, self)).toMatchObject({ role: 'admin' })
    await expect(users.update('second', { role: 'owner' }, self)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  test('names and addresses are taken once, and what is unknown is said to be', async () => {
    const { users } = hub.authority
    await users.add({ name: 'ada', email: 'Ada@Example.com' }, operator)
    await expect(users.add({ name: 'ada' }, operator)).rejects.toMatchObject({ code: 'USER_EXISTS' })
    const taken = { name: 'lovelace', email: 'ada@example.com' }
    await expect(users.add(taken, operator)).rejects.toMatchObject({ code: 'USER_EXISTS' })
    for (const name of ['nobody', 'ada@example.com', '__proto__'])
      await expect(users.remove(name, operator)).rejects.toMatchObject({ code: 'USER_NOT_FOUND' })
    expect(await users.update('ada', { email: null }, operator)).toMatchObject({ email: null })
  })

  test('events say who changed what, without addresses and codes', async () => {
    const { setup } = await hub.authority.users.add({ name: 'quiet', email: 'quiet@example.com' }, operator)
    await hub.authority.users.update('quiet', { role: 'viewer', email: 'new@example.com' }, operator)
    const changed = hub.events.findLast(({ kind }) => kind === 'user.changed')
    expect(changed?.data).toEqual({
      user: 'quiet',
      before: { role: 'member', disabled: false },
      after: { role: 'viewer', email: 'changed' },
    })
    expect(JSON.stringify(hub.events)).not.toMatch(new RegExp(`example.com|${setup.code}`))
  })
})

test('members see and take back their own grants only', async () => {
  const { users } = hub.authority
  await hub.addUser('mia')
  await hub.addUser('noa')
  const client = new OAuthClient(hub.url)
  await client.register()
  await client.signIn(hub.browser(), 'mia', testPassword)
  await client.signIn(hub.browser(), 'noa', testPassword)
  const own = await users.listGrants(as('member', 'mia' as Role))
  expect(own.map(({ user }) => user)).toEqual(['mia'])
  const [grant] = (await users.listGrants(operator)).filter(({ user }) => user === 'noa')
  await expect(users.revokeGrant(grant!.id, as('member', 'mia' as Role))).rejects.toMatchObject({
    code: 'GRANT_NOT_FOUND',
  })
  await users.revokeGrant(own[0]!.id, as('member', 'mia' as Role))
  expect((await users.listGrants(operator)).map(({ user }) => user)).toEqual(['noa'])
})
