import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { browseFolder } from './browse-folder.ts'

let home: string

beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'herma-browse-')))
  for (const folder of ['code', '.config', 'state/keys', 'many']) await mkdir(join(home, folder), { recursive: true })
  for (const file of ['run.sh', 'notes 10.txt', 'notes 9.txt', '.env', 'state/master.key'])
    await writeFile(join(home, file), 'not shown')
  await chmod(join(home, 'run.sh'), 0o755)
  await symlink(join(home, 'state'), join(home, 'sly'))
  await symlink(join(home, 'nowhere'), join(home, 'broken'))
  await Promise.all(Array.from({ length: 1001 }, (_, index) => writeFile(join(home, 'many', `${index}`), '')))
})
afterAll(() => rm(home, { recursive: true, force: true }))

const browse = (path?: string, kind: 'folder' | 'file' = 'file') =>
  browseFolder({ path, kind }, { home, hidden: [join(home, 'state')] })

test('without a path it is the home: folders first, hidden ones last, numbers in their order', async () => {
  const listing = await browse()
  expect(listing).toMatchObject({ path: home, home, isWhole: true })
  expect(listing.entries.map(({ name, executable }) => `${name}${executable ? '*' : ''}`)).toEqual([
    'code',
    'many',
    'notes 9.txt',
    'notes 10.txt',
    'run.sh*',
    '.config',
    '.env',
  ])
  expect(JSON.stringify(listing)).not.toContain('not shown')
  expect((await browse('~/', 'folder')).entries.map(({ name }) => name)).toEqual(['code', 'many', '.config'])
})

test('what holds the keys of the hub is neither listed nor entered, by no way', async () => {
  for (const path of [join(home, 'state'), join(home, 'state/keys'), '~/sly', `${home}/code/../state/`])
    await expect(browse(path)).rejects.toMatchObject({ code: 'PATH_REFUSED' })
})

test('a folder that is too large says so', async () => {
  const { entries, isWhole } = await browse('~/many')
  expect([entries.length, isWhole]).toEqual([1000, false])
})

test('a path can be followed up to the top, and what is none is explained', async () => {
  expect(await browse('/')).toMatchObject({ path: '/', parent: null })
  expect((await browse('~/code/')).parent).toBe(home)
  await expect(browse('~/gone')).rejects.toThrow(/gone does not exist/)
  await expect(browse('~/run.sh')).rejects.toThrow(/is a file/)
  await expect(browse('code')).rejects.toThrow(/no full path/)
  await expect(browse('/x\0')).rejects.toThrow(/no full path/)
})
