import { Backup, type Principal } from '@herma/contract'
import { beforeEach, expect, test } from 'vitest'
import { Backups } from './backups.ts'
import type { BackupEntry, BackupPart } from './backup-part.ts'

const ana: Principal = { id: 'user:ana', kind: 'user', name: 'ana', role: 'owner', scopes: null, servers: null }

let connectors: Map<string, BackupEntry>
let backups: Backups

const connectorPart: BackupPart = {
  name: 'connectors',
  nameOf: ({ name }) => {
    if (typeof name !== 'string') throw new Error('without a name')
    return name
  },
  read: () => [...connectors.values()],
  async write(entry) {
    if (entry['url'] === 'bad') throw new Error('hush, this is no address')
    connectors.set(String(entry['name']), entry)
  },
  needs: (_, found) => (found === undefined ? ['headers.Authorization'] : []),
}
const secretPart: BackupPart = {
  name: 'secrets',
  nameOf: ({ name }) => String(name),
  read: () => [{ name: 'here' }],
  why: 'Store it again.',
  needs: (_, found) => (found === undefined ? ['value'] : []),
}

beforeEach(() => {
  connectors = new Map([['files', { name: 'files', url: 'a', notes: 'hush' }]])
  backups = new Backups({
    version: '1.2.3',
    parts: [secretPart, connectorPart],
    mask: '••••',
    redactValue: (value) => JSON.parse(JSON.stringify(value).replaceAll('hush', '••••')) as unknown,
  })
})

async function fileWith(...added: BackupEntry[]): Promise<Backup> {
  const backup = await backups.write()
  return { ...backup, parts: { ...backup.parts, connectors: [...(backup.parts.connectors ?? []), ...added] } }
}

test('what is written can be read back, holds no known secret, and changes nothing where it came from', async () => {
  const backup = Backup.parse(JSON.parse(JSON.stringify(await backups.write())))
  expect(backup).toMatchObject({ version: 1, hub: '1.2.3', parts: { connectors: [{ name: 'files', notes: '••••' }] } })
  const { entries, needed } = await backups.restore({ file: backup }, ana)
  expect(entries.map(({ name, action }) => `${action} ${name}`)).toEqual(['keep here', 'keep files'])
  expect(needed).toEqual([])
  expect(connectors.get('files')?.['notes']).toBe('hush')
})

test('a plan says what would be done and does nothing', async () => {
  const report = await backups.restore({ file: await fileWith({ name: 'web', url: 'b' }), plan: true }, ana)
  expect(report).toMatchObject({ plan: true, needed: [{ name: 'web', field: 'headers.Authorization' }] })
  expect(report.entries.at(-1)).toEqual({ part: 'connectors', name: 'web', action: 'add', why: null })
  expect([...connectors.keys()]).toEqual(['files'])
})

test('one bad entry never stops the others, and each says what became of it', async () => {
  const file = await fileWith(
    { name: 'bad', url: 'bad' },
    { url: 'nameless' },
    { name: 'masked', url: 'Bearer ••••' },
    { name: 'web', url: 'b' },
  )
  file.parts.secrets = [{ name: 'gone' }]
  const { entries, needed } = await backups.restore({ file }, ana)
  expect(entries.map(({ name, action, why }) => [action, name, why])).toEqual([
    ['skip', 'gone', 'Store it again.'],
    ['keep', 'files', null],
    ['fail', 'bad', '••••, this is no address'],
    ['add', '(without a name)', null],
    ['skip', 'masked', expect.stringContaining('A secret stood in url')],
    ['add', 'web', null],
  ])
  expect(needed).toEqual([
    { part: 'secrets', name: 'gone', field: 'value' },
    { part: 'connectors', name: '(without a name)', field: 'headers.Authorization' },
    { part: 'connectors', name: 'web', field: 'headers.Authorization' },
  ])
})

test('what is no backup, or one of the future, is told apart', () => {
  const backup = { format: 'herma-backup', version: 1, hub: '1', createdAt: new Date(0).toISOString(), parts: {} }
  expect(Backup.safeParse(backup).success).toBe(true)
  expect(Backup.safeParse({ ...backup, version: 2 }).error?.message).toContain('newer Herma')
  expect(Backup.safeParse({ ...backup, format: 'zip' }).error?.message).toContain('no backup of Herma')
})
