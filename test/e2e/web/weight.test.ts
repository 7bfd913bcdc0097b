import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { buildPages } from './build-pages.ts'

test('all pages together weigh at most 310 kB of compressed script, the first one 200', async () => {
  const folder = await buildPages()
  const weigh = (file: string) => gzipSync(readFileSync(join(folder, file))).length
  const all = readdirSync(join(folder, 'assets'))
    .filter((file) => file.endsWith('.js'))
    .map((file) => `assets/${file}`)
  const index = readFileSync(join(folder, 'index.html'), 'utf8')
  const first = all.filter((file) => index.includes(file))
  const sum = (files: string[]) => files.reduce((total, file) => total + weigh(file), 0)
  expect(first.length).toBeGreaterThan(0)
  expect(sum(first)).toBeLessThanOrEqual(200_000)
  expect(sum([...all, 'theme.js'])).toBeLessThanOrEqual(310_000)
})
