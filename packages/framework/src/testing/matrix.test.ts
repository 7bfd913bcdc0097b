import { expect, expectTypeOf, test as it } from 'vitest'
import { z } from 'zod'
import { versions, type Version } from '../protocol/version.ts'
import { server } from '../server/app.ts'
import { matrix } from './index.ts'

const app = server({ name: 'm', version: '1.0.0' }).tool(
  'version',
  { output: z.object({ version: z.string() }) },
  (_, { version }) => ({
    version,
  }),
)

it('a test runs once for each revision, with a client of it', async () => {
  const seen: string[] = []

  await matrix(app, async (t, version) => {
    const { value } = await t.call('version')
    expectTypeOf(value).toEqualTypeOf<{ version: string }>()
    expect(value.version).toBe(version)
    seen.push(version)
  })

  expect(seen).toEqual([...versions])
})

it('only the revisions that are asked for, or served, are run', async () => {
  const seen: Version[] = []
  const old = server({ name: 'old', version: '1.0.0', versions: ['2025-06-18', '2024-11-05'] })

  await matrix(app, (_, version) => void seen.push(version), { versions: ['2025-03-26'] })
  await matrix(old, (_, version) => void seen.push(version))

  expect(seen).toEqual(['2025-03-26', '2025-06-18', '2024-11-05'])
})

it('errors name their revisions', async () => {
  const failing = (failed: readonly Version[]) =>
    matrix(app, (_, version) => {
      if (failed.includes(version)) throw new Error('no')
    })

  await expect(failing(['2025-03-26'])).rejects.toThrow('With a client of 2025-03-26: no')
  await expect(failing(['2025-03-26', '2024-11-05'])).rejects.toThrow(
    '2 of 5 revisions failed.\nWith a client of 2025-03-26: no\nWith a client of 2024-11-05: no',
  )
})
