import { randomBytes, randomInt } from 'node:crypto'
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConnectorInput } from '@herma/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runSource } from '../../platform/testing/source-process.ts'
import { openTestStore, type TestStore } from '../../platform/testing/test-store.ts'
import { openSealedHub } from '../testing/sealed-hub.ts'
import { encrypt } from '../cipher.ts'
import { parseKey } from './parse-key.ts'

let opened: TestStore

beforeAll(async () => {
  opened = await openTestStore('external')
})
afterAll(() => opened.close())
beforeEach(async () => {
  for (const table of ['connector', 'secret', 'data_key']) await opened.store.pool.query(`delete from ${table}`)
})

type SealedHub = Awaited<ReturnType<typeof openSealedHub>>

function openHub(from: { keyFile?: string } = {}): Promise<SealedHub> {
  return openSealedHub(opened.stateHome, opened.store.db, from)
}

/** More than one batch in every place. */
const many = 110

/** Values in every place, some of them from before there were data keys. */
async function fill({ connectors, signIns, secrets, ring }: SealedHub, count = 4): Promise<void> {
  for (let index = 0; index < count; index++) {
    const { id: connectorId } = await connectors.insert(
      ConnectorInput.parse({
        name: `c${index}`,
        transport: 'stream',
        baseUrl: 'https://a.example',
        headers: [
          { name: 'Authorization', value: `header-${index}` },
          { name: 'X-Plain', value: 'v2.plain.text' },
        ],
        env: [{ name: 'API_KEY', value: `env-${index}` }],
        ...(index % 2 === 0 ? {} : { oauth: { clientId: 'me', clientSecret: `client-${index}` } }),
      }),
    )
    const place = { connectorId, principal: index % 2 === 0 ? '' : 'user:ada', issuer: 'https://i.example' }
    await signIns.save({
      ...place,
      kind: 'tokens',
      serverUrl: 'https://a.example',
      value: { access_token: `t-${index}` },
    })
    const secret = await secrets.insert(`s${index}`, `secret-${index}`, '')
    if (index % 3 !== 0) continue
    const old = encrypt(ring.master.key, Buffer.from(`secret-${index}`), `secret:${secret.id}:value`)
    const sealed = `v1.${old.toString('base64url')}`
    await opened.store.pool.query('update secret set sealed = $1 where id = $2', [sealed, secret.id])
  }
  await secrets.insert('edited', '0', '')
}

async function expectAllOpen({ connectors, signIns, secrets }: SealedHub, count = 4): Promise<void> {
  for (const { connector, problem } of await connectors.loadAll()) {
    const index = connector.name.slice(1)
    expect(problem).toBeNull()
    expect(connector.headers.map(({ value }) => value)).toEqual([`header-${index}`, 'v2.plain.text'])
    expect(connector.env[0]?.value).toBe(`env-${index}`)
    expect(connector.oauth?.clientSecret).toBe(Number(index) % 2 === 0 ? undefined : `client-${index}`)
  }
  const tokens = (await signIns.loadAll()).map(({ value }) => (value as { access_token: string }).access_token)
  expect(tokens.toSorted()).toEqual(Array.from({ length: count }, (_, index) => `t-${index}`).toSorted())
  const stored = (await secrets.loadAll()).filter(({ name }) => name !== 'edited')
  expect(stored).toHaveLength(count)
  for (const { name, value } of stored) expect(value).toBe(`secret-${name.slice(1)}`)
}

/** The beginnings of all sealed values in the database. */
async function usedKeys(): Promise<string[]> {
  const { rows } = await opened.store.pool.query<{ key: string }>(
    `select distinct key from (
       select split_part(sealed, '.', 1) || '.' || split_part(sealed, '.', 2) as key from secret where sealed like 'v2.%'
       union all select 'v1' from secret where sealed like 'v1.%'
       union all select split_part(sealed, '.', 1) || '.' || split_part(sealed, '.', 2) from downstream_authorization
       union all select 'v2.' || split_part(split_part(entry ->> 'sealed', '.', 2), '.', 1)
         from connector, jsonb_array_elements(headers || env) entry where entry ? 'sealed'
       union all select 'v2.' || split_part(oauth -> 'sealed' ->> 'clientSecret', '.', 2)
         from connector where oauth is not null) keys`,
  )
  return rows.map(({ key }) => key)
}

test('killed at any moment of either rotation, every value opens, and the next start goes on to the end', async () => {
  const first = await openHub()
  await fill(first, many)
  const usualMs = { data: await measure(() => first.rotation.rotate({})), master: 0 }
  usualMs.master = await measure(() => first.rotation.rotate({ master: true }))
  let acknowledged = 0
  for (const kind of ['data', 'master', 'data', 'master', 'data', 'master'] as const) {
    const hub = runSource('../../secret/testing/rotate-on.ts', [kind, opened.stateHome, opened.databaseUrl!])
    await hub.waitForLine('rotating')
    await sleep(randomInt(0, Math.ceil(usualMs[kind] * 1.5)))
    hub.kill('SIGKILL')
    await hub.exited
    const lastSet = hub.lines.findLast((line) => line.startsWith('set '))
    acknowledged = Number(lastSet?.slice(4) ?? acknowledged)
    const survivor = await openHub()
    await expectAllOpen(survivor, many)
    const edited = (await survivor.secrets.loadAll()).find(({ name }) => name === 'edited')
    expect(Number(edited?.value), kind).toBeGreaterThanOrEqual(acknowledged)
  }

  await expectFinished(many)
}, 180_000)

/** The next start goes on by itself; then there is one data key, one master key, and nothing half done. */
async function expectFinished(count?: number): Promise<void> {
  const hub = await openHub()
  hub.rotation.start()
  await hub.rotation.stop()
  expect(await usedKeys()).toEqual([`v2.${hub.ring.activeId}`])
  const { master, dataKeys, unopened } = await hub.rotation.describe()
  expect(dataKeys.filter(({ state }) => state !== 'retired')).toMatchObject([
    { id: hub.ring.activeId, state: 'active' },
  ])
  expect({ next: master.next, unopened }).toEqual({ next: null, unopened: 0 })
  const wraps = await opened.store.pool.query('select distinct master_key_id from data_key_wrap')
  expect(wraps.rows).toEqual([{ master_key_id: hub.ring.master.id }])
  expect((await readdir(opened.stateHome)).filter((name) => name.startsWith('key'))).toEqual(['key'])
  await expectAllOpen(await openHub(), count)
}

describe.each([false, true])('a hub that ends in the middle of a rotation (of the master key: %s)', (master) => {
  test.each(['before', 'after'] as const)('%s any step of it starts again as if nothing were', async (when) => {
    let outcome: unknown = new Error('not tried')
    for (let step = 1, hasCrashed = true; hasCrashed; step++) {
      for (const table of ['connector', 'secret', 'data_key']) await opened.store.pool.query(`delete from ${table}`)
      await fill(await openHub())
      const crash = new Crash(step, when)
      const hub = await openSealedHub(opened.stateHome, opened.store.db, {}, (part) => crash.watch(part))
      outcome = await hub.rotation.rotate({ master }).catch((error: unknown) => error)
      await expectAllOpen(await openHub())
      await expectFinished()
      hasCrashed = crash.hasHappened
    }
    expect(outcome).not.toBeInstanceOf(Error)
  })
})

/** Lets one write fail, before or after it was made, and all that follow: the process would be gone. */
class Crash {
  hasHappened = false
  #left: number
  readonly #when: 'before' | 'after'

  constructor(step: number, when: 'before' | 'after') {
    this.#left = step
    this.#when = when
  }

  watch<T extends object>(part: T): T {
    return new Proxy(part, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        const call = value.bind(target) as (...args: unknown[]) => Promise<unknown>
        return ['loadAll', 'insertFirst'].includes(String(name)) ? call : (...args: unknown[]) => this.#run(call, args)
      },
    })
  }

  async #run(call: (...args: unknown[]) => Promise<unknown>, args: unknown[]): Promise<unknown> {
    const isNow = --this.#left === 0
    this.hasHappened ||= isNow
    if (this.hasHappened && (!isNow || this.#when === 'before')) throw new Error('crash')
    const result = await call(...args)
    if (isNow) throw new Error('crash')
    return result
  }
}

async function measure(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

describe('a rotation', () => {
  test('of the data key leaves tokens that are out there valid, and edits meanwhile untouched', async () => {
    const hub = await openHub()
    await fill(hub)
    const before = hub.ring.activeId
    const tokens = hub.ring.tokens('test', 60_000)
    const token = tokens.seal('state')
    const edited = (await hub.secrets.loadAll()).find(({ name }) => name === 'edited')!
    const work = { isDone: false }
    const rotating = hub.rotation.rotate({}).finally(() => (work.isDone = true))
    let value = 0
    while (!work.isDone) await hub.secrets.setValue(edited, String(++value))
    const keys = await rotating
    expect(keys.dataKeys.map(({ id, state, retiredAt }) => [id, state, retiredAt === null])).toEqual([
      [before, 'retired', false],
      [hub.ring.activeId, 'active', true],
    ])
    expect((await hub.secrets.loadAll()).find(({ name }) => name === 'edited')?.value).toBe(String(value))
    // An edit that was sealed before may have been written after: whatever seals values anew next takes it along.
    await hub.rotation.rotate({ master: true })
    expect(await usedKeys()).toEqual([`v2.${hub.ring.activeId}`])
    expect(tokens.open(token)).toBe('state')
    expect((await openHub()).ring.tokens('test', 60_000).open(token)).toBe('state')
    await expectAllOpen(hub)
  })

  test.each([
    ['secrets', `update secret set sealed = 'edited'`, 'select sealed as value from secret'],
    [
      'signIns',
      `update downstream_authorization set sealed = 'edited'`,
      'select sealed as value from downstream_authorization',
    ],
    ['connectors', `update connector set env = '["edited"]'`, 'select env ->> 0 as value from connector'],
  ] as const)('never overwrites an edit of %s that was under way', async (place, edit, look) => {
    const hub = await openHub()
    await fill(hub, 1)
    await hub.secrets.remove((await hub.secrets.loadAll()).find(({ name }) => name === 'edited')!.id)
    await hub.ring.renewDataKey()
    const { pool } = opened.store
    const editor = await pool.connect()
    try {
      await editor.query('begin')
      await editor.query(edit)
      const resealed = hub[place].reseal((sealed, context) => hub.ring.renew(sealed, context), null)
      const waiting = 'select 1 from pg_locks where not granted'
      while ((await pool.query(waiting)).rowCount === 0) await sleep(10)
      await editor.query('commit')
      await resealed
    } finally {
      editor.release()
    }
    expect((await pool.query(look)).rows).toEqual([{ value: 'edited' }])
  })

  test('of the master key replaces the file, and the old one opens nothing any more', async () => {
    const hub = await openHub()
    await fill(hub)
    const path = join(opened.stateHome, 'key')
    const old = await readFile(path)
    const { master } = await hub.rotation.rotate({ master: true })
    expect(master).toMatchObject({ source: 'home', next: null })
    expect((await readFile(path)).equals(old)).toBe(false)
    await expectAllOpen(hub)
    await expectAllOpen(await openHub())
    await writeFile(path, old)
    const { secrets } = await openHub()
    expect((await secrets.loadAll()).every(({ problem }) => problem !== null)).toBe(true)
  })

  test('to a master key of a named file has both open everything until the new one is in place', async () => {
    const [present, next] = [join(opened.stateHome, 'present'), join(opened.stateHome, 'next')]
    for (const path of [present, next]) await writeFile(path, randomBytes(32).toString('base64'), { mode: 0o600 })
    const hub = await openHub({ keyFile: present })
    await fill(hub)
    await expect(hub.rotation.rotate({ master: true })).rejects.toMatchObject({ code: 'KEY_ROTATION_PENDING' })
    const prepared = await hub.rotation.rotate({ master: true, newKeyFile: next })
    expect(prepared.master).toMatchObject({ id: hub.ring.master.id, source: 'file', next: { id: expect.any(String) } })
    for (const keyFile of [present, next]) await expectAllOpen(await openHub({ keyFile }))
    await expect(hub.rotation.rotate({})).rejects.toMatchObject({ code: 'KEY_ROTATION_PENDING' })
    // The present key, given again, takes the other one back.
    await hub.rotation.rotate({ newKeyFile: present })
    expect((await hub.rotation.describe()).master.next).toBeNull()
    await hub.rotation.rotate({ newKeyFile: next })

    await rename(next, present)
    const { master } = await hub.rotation.rotate({ master: true })
    expect(master).toMatchObject({ id: prepared.master.next!.id, next: null })
    await hub.rotation.rotate({})
    await expectAllOpen(await openHub({ keyFile: present }))
    const bad = hub.rotation.rotate({ newKeyFile: join(opened.stateHome, 'postgres') })
    await expect(bad).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  })

  test('keeps the key of a value that does not open, and removes one that nothing has needed for long', async () => {
    const hub = await openHub()
    const first = hub.ring.activeId
    const { id } = await hub.secrets.insert('broken', 'value', '')
    await opened.store.pool.query(`update secret set sealed = left(sealed, -4) || 'AAAA' where id = $1`, [id])
    const { dataKeys, unopened } = await hub.rotation.rotate({})
    expect(unopened).toBe(1)
    expect(dataKeys.find((key) => key.id === first)?.state).toBe('resealing')
    await hub.secrets.remove(id)
    expect((await hub.rotation.rotate({})).dataKeys.map(({ state }) => state)).toEqual(['retired', 'retired', 'active'])
    await opened.store.pool.query(`update data_key set retired_at = now() - interval '8 days' where id = $1`, [first])
    const later = await hub.rotation.rotate({})
    expect(later.dataKeys.map((key) => key.id)).not.toContain(first)
    expect(later.dataKeys).toHaveLength(3)
  })
})

test.each(['', 'short', 'z'.repeat(64), `${'A'.repeat(42)}B`])('%j is no key', (text) => {
  expect(parseKey(Buffer.from(text))).toBeNull()
})
