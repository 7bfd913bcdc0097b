import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createTemporaryHome } from '../platform/testing/temporary-home.ts'
import { openSealer } from './sealer.ts'

const context = 'connector:1:headers:Authorization'

async function temporaryHome(): Promise<string> {
  const home = await createTemporaryHome()
  onTestFinished(() => home.remove())
  return home.path
}

test('what is sealed opens again, also after a restart, and never looks the same twice', async () => {
  const stateHome = await temporaryHome()
  const sealer = await openSealer(stateHome)
  const sealed = ['', 'Bearer ü🙂', 'x'.repeat(65_536)].map((value) => sealer.seal(value, context))
  const reopened = await openSealer(stateHome)
  expect(sealed.map((value) => reopened.open(value, context))).toEqual(['', 'Bearer ü🙂', 'x'.repeat(65_536)])
  expect(sealed.every((value) => value.startsWith('v1.'))).toBe(true)
  expect(sealer.seal('same', context)).not.toBe(sealer.seal('same', context))
})

test('a sealed value does not open in another place, nor when it was changed', async () => {
  const sealer = await openSealer(await temporaryHome())
  const sealed = sealer.seal('secret', context)
  expect(() => sealer.open(sealed, 'connector:2:headers:Authorization')).toThrow(/does not open with the key/)
  const middle = Math.floor(sealed.length / 2)
  const changed = sealed.slice(0, middle) + (sealed[middle] === 'A' ? 'B' : 'A') + sealed.slice(middle + 1)
  for (const bad of [changed, '', 'v1.', 'v1.AAAA', 'secret', sealed.slice(0, 20), sealed.replace('v1.', 'v2.')]) {
    expect(() => sealer.open(bad, context), bad).toThrow(/does not open with the key/)
  }
})

test('the key is made once, whoever comes first, and only its owner may read it', async () => {
  const stateHome = await temporaryHome()
  const sealers = await Promise.all(Array.from({ length: 8 }, () => openSealer(stateHome)))
  const sealed = sealers.map((sealer) => sealer.seal('secret', context))
  for (const sealer of sealers)
    expect(sealed.map((value) => sealer.open(value, context))).toEqual(sealed.map(() => 'secret'))
  expect((await stat(join(stateHome, 'key'))).mode & 0o777).toBe(0o600)
  expect(await readFile(join(stateHome, 'key'))).toHaveLength(32)
  expect(await readdir(stateHome)).toEqual(['key'])
})

test('a key that others may read is refused with the command that closes it', async () => {
  const stateHome = await temporaryHome()
  await openSealer(stateHome)
  await chmod(join(stateHome, 'key'), 0o640)
  await expect(openSealer(stateHome)).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringContaining(`chmod 600 '${join(stateHome, 'key')}'`),
  })
})

test('after the key was lost a new one is made, and old values say what to do', async () => {
  const stateHome = await temporaryHome()
  const sealed = (await openSealer(stateHome)).seal('secret', context)
  await rm(join(stateHome, 'key'))
  const sealer = await openSealer(stateHome)
  expect(() => sealer.open(sealed, context)).toThrow(/Put back the key file.*or enter the secret again/)
  expect(sealer.open(sealer.seal('new', context), context)).toBe('new')
})

test('a key file of the wrong size fails at every use, and not at the start', async () => {
  const stateHome = await temporaryHome()
  for (const bytes of [0, 31, 33]) {
    await writeFile(join(stateHome, 'key'), Buffer.alloc(bytes), { mode: 0o600 })
    const sealer = await openSealer(stateHome)
    expect(() => sealer.seal('secret', context)).toThrow(`holds ${bytes} bytes instead of 32`)
    expect(() => sealer.open('v1.AAAA', context)).toThrow(`holds ${bytes} bytes instead of 32`)
  }
})
