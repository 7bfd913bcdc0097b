import { mkdir, stat, symlink } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ensureStateHome, requireHomePath, resolveHomes } from './homes.ts'
import { createTemporaryHome } from '../testing/temporary-home.ts'

const isRoot = process.getuid?.() === 0

async function temporaryFolder(): Promise<string> {
  const home = await createTemporaryHome()
  onTestFinished(() => home.remove())
  return home.path
}

test('without variables the homes are those of the user, and of the system for root', () => {
  const { configHome, stateHome } = resolveHomes({ HOME: homedir() })
  expect(configHome).toBe(join(homedir(), '.config/herma'))
  expect(stateHome).toBe(isRoot ? '/var/lib/herma' : join(configHome, '.state'))
})

test('the state home follows the config home unless it is set itself', () => {
  expect(resolveHomes({ HERMA_CONFIG_HOME: '/c' })).toEqual({ configHome: '/c', stateHome: '/c/.state' })
  expect(resolveHomes({ HERMA_CONFIG_HOME: '/c', HERMA_STATE_HOME: '/s' }).stateHome).toBe('/s')
})

test('a relative home is made absolute and an empty one counts as absent', () => {
  expect(resolveHomes({ HERMA_CONFIG_HOME: 'c', HERMA_STATE_HOME: '' })).toEqual({
    configHome: resolve('c'),
    stateHome: resolve('c/.state'),
  })
})

test('paths inside the homes are allowed, also those still to be made', async () => {
  const configHome = await temporaryFolder()
  const homes = { configHome, stateHome: join(configHome, '.state') }
  expect(requireHomePath(homes, join(configHome, 'catalog/one.json'))).toBe(join(configHome, 'catalog/one.json'))
  expect(requireHomePath(homes, homes.stateHome)).toBe(homes.stateHome)
})

test('a path that leaves the homes by dots, by a prefix or by a link is refused', async () => {
  const root = await temporaryFolder()
  const homes = { configHome: join(root, 'config'), stateHome: join(root, 'state') }
  await mkdir(homes.configHome)
  await mkdir(join(root, 'outside'))
  await symlink(join(root, 'outside'), join(homes.configHome, 'link'))
  for (const path of ['config/../outside/a', 'config-other/a', 'config/link/a', 'config/link']) {
    expect(() => requireHomePath(homes, join(root, path)), path).toThrow(/outside of .*HERMA_CONFIG_HOME/)
  }
})

test('a new state home is closed to others, but for the passage that root needs', async () => {
  const stateHome = join(await temporaryFolder(), 'a/b')
  await ensureStateHome(stateHome)
  await ensureStateHome(stateHome)
  expect((await stat(stateHome)).mode & 0o777).toBe(isRoot ? 0o711 : 0o700)
})

test('a state home that cannot be created is named with the next step', async () => {
  await expect(ensureStateHome('/dev/null/state')).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringMatching(/\/dev\/null\/state.*HERMA_STATE_HOME/s),
  })
})
