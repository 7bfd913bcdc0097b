import { randomBytes } from 'node:crypto'
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createTemporaryHome } from '../../platform/testing/temporary-home.ts'
import { openTestStore, type TestStore } from '../../platform/testing/test-store.ts'
import { encrypt } from '../cipher.ts'
import { type KeyRing, openKeyRing } from './key-ring.ts'

const context = 'connector:1:headers:Authorization'
const notOpening = /does not open with the key of this hub/

let opened: TestStore
let stateHome: string

beforeAll(async () => {
  opened = await openTestStore()
})
beforeEach(async () => {
  await opened.store.pool.query('delete from data_key')
  const home = await createTemporaryHome()
  onTestFinished(() => home.remove())
  stateHome = home.path
})
afterAll(() => opened.close())

function open(from: { keyFile?: string; keyCommand?: string } = {}): Promise<KeyRing> {
  return openKeyRing({ stateHome, db: opened.store.db, ...from })
}

async function keyFile(content: Buffer | string, mode = 0o600): Promise<string> {
  const path = join(stateHome, 'elsewhere.key')
  await writeFile(path, content, { mode })
  return path
}

test('what is sealed opens again, also after a restart, and never looks the same twice', async () => {
  const ring = await open()
  const values = ['', 'Bearer ü🙂', 'x'.repeat(65_536)]
  const sealed = values.map((value) => ring.seal(value, context))
  const reopened = await open()
  expect(sealed.map((value) => reopened.open(value, context))).toEqual(values)
  expect(sealed.every((value) => value.startsWith(`v2.${ring.activeId}.`))).toBe(true)
  expect(ring.seal('same', context)).not.toBe(ring.seal('same', context))
})

test('a sealed value does not open in another place, nor when it was changed', async () => {
  const ring = await open()
  const sealed = ring.seal('secret', context)
  expect(() => ring.open(sealed, 'connector:2:headers:Authorization')).toThrow(notOpening)
  const middle = sealed.length - 20
  const changed = sealed.slice(0, middle) + (sealed[middle] === 'A' ? 'B' : 'A') + sealed.slice(middle + 1)
  const cut = sealed.slice(0, 25)
  for (const bad of [changed, cut, '', 'v1.', 'v1.AAAA', 'v2..AAAA', 'v2.x.AAAA', 'secret', sealed.replace('v2', 'v3')])
    expect(() => ring.open(bad, context), bad).toThrow(notOpening)
})

test('a value from before there were data keys opens, and is brought under one', async () => {
  const { master } = await open()
  const old = `v1.${encrypt(master.key, Buffer.from('secret'), context).toString('base64url')}`
  const ring = await open()
  expect(ring.open(old, context)).toBe('secret')
  const renewed = ring.renew(old, context)!
  expect(ring.open(renewed, context)).toBe('secret')
  expect(ring.renew(renewed, context)).toBeNull()
})

test('keys are made once, whoever comes first, and only their owner may read the file', async () => {
  const rings = await Promise.all(Array.from({ length: 8 }, () => open()))
  const sealed = rings.map((ring) => ring.seal('secret', context))
  for (const ring of rings) expect(sealed.map((value) => ring.open(value, context))).toEqual(sealed.map(() => 'secret'))
  expect((await stat(join(stateHome, 'key'))).mode & 0o777).toBe(0o600)
  expect(await readFile(join(stateHome, 'key'))).toHaveLength(32)
  expect(await readdir(stateHome)).toEqual(['key'])
  expect((await opened.store.pool.query('select id from data_key')).rowCount).toBe(1)
})

test('the database holds no key in clear, and a data key does not open under the name of another', async () => {
  const ring = await open()
  await ring.renewDataKey()
  const { rows } = await opened.store.pool.query<{ wrapped: string }>('select wrapped from data_key_wrap')
  expect(rows.every(({ wrapped }) => Buffer.from(wrapped, 'base64url').length === 60)).toBe(true)
  const sealed = ring.seal('secret', context)
  await opened.store.pool.query(
    `update data_key_wrap set wrapped = (select wrapped from data_key_wrap where data_key_id <> $1) where data_key_id = $1`,
    [ring.activeId],
  )
  expect(() => ring.open(sealed, context)).not.toThrow()
  const reopened = await open()
  expect(() => reopened.open(sealed, context)).toThrow(notOpening)
})

describe('a key file', () => {
  test('that others may read is refused with the command that closes it', async () => {
    await open()
    await chmod(join(stateHome, 'key'), 0o640)
    await expect(open()).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining(`chmod 600 '${join(stateHome, 'key')}'`),
    })
  })

  test('that was lost is replaced, and old values say what to do', async () => {
    const sealed = (await open()).seal('secret', context)
    const lost = await readFile(join(stateHome, 'key'))
    await rm(join(stateHome, 'key'))
    const ring = await open()
    expect(() => ring.open(sealed, context)).toThrow(/put back the key that sealed it, or enter the secret again/)
    expect(ring.open(ring.seal('new', context), context)).toBe('new')
    await writeFile(join(stateHome, 'key'), lost)
    expect((await open()).open(sealed, context)).toBe('secret')
  })

  test('without a key in it fails at every use, and not at the start; tokens work all the same', async () => {
    for (const bytes of [0, 31, 33]) {
      await writeFile(join(stateHome, 'key'), Buffer.alloc(bytes), { mode: 0o600 })
      const ring = await open()
      expect(() => ring.seal('secret', context)).toThrow(/holds no key: it must be 32 bytes/)
      expect(() => ring.open('v1.AAAA', context)).toThrow(/holds no key/)
      const tokens = ring.tokens('test', 1000)
      expect(tokens.open(tokens.seal('text'))).toBe('text')
    }
  })
})

describe('the environment names', () => {
  const key = randomBytes(32)

  test.each([
    ['bytes', key],
    ['hexadecimal digits', `${key.toString('hex')}\n`],
    ['base64', ` ${key.toString('base64')}\n`],
    ['base64url', key.toString('base64url')],
  ])('a file with %s', async (_, content) => {
    const ring = await open({ keyFile: await keyFile(content) })
    expect(ring.master.key.equals(key)).toBe(true)
    expect(await readdir(stateHome)).toEqual(['elsewhere.key'])
  })

  test('a command, which runs without a shell', async () => {
    const path = await keyFile(key.toString('hex'))
    const ring = await open({ keyCommand: `cat '${path}'` })
    expect(ring.master.key.equals(key)).toBe(true)
    await expect(open({ keyCommand: `cat '${path}' | cat` })).rejects.toThrow(/'cat' of HERMA_KEY_COMMAND ended with/)
  })

  test('a file that is missing, open to others, or no key: the hub does not start, and shows nothing of it', async () => {
    await expect(open({ keyFile: join(stateHome, 'none') })).rejects.toThrow(/There is no key file .*none.*Make one/)
    const canary = 'canary-not-a-key'
    await expect(open({ keyFile: await keyFile(canary) })).rejects.toThrow(/^(?!.*canary).*holds no key/)
    await rm(join(stateHome, 'elsewhere.key'))
    await expect(open({ keyFile: await keyFile(key, 0o644) })).rejects.toThrow(/chmod 600/)
    await expect(open({ keyFile: 'a', keyCommand: 'b' })).rejects.toThrow(/both set/)
  })

  test.each([
    ['fails', `sh -c "echo canary; echo canary >&2; exit 3"`, /ended with status 3/],
    ['prints too much', `sh -c "yes canary"`, /printed more than 256 bytes/],
    ['prints no key', `echo canary`, /holds no key/],
    ['is not there', '/no/such/command canary', /could not be started/],
    ['is blank', '  ', /is empty/],
  ])('a command that %s: the same', async (_, keyCommand, reason) => {
    const failure = await open({ keyCommand }).then(
      () => null,
      (error: Error) => error,
    )
    expect(failure?.message).toMatch(reason)
    expect(failure?.message).not.toContain('canary')
  })
})
