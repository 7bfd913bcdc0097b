import { readdirSync, readFileSync } from 'node:fs'
import { EventView, TraceFormat } from '@herma/contract'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { exportEvents } from './export-events.ts'

const folder = new URL('./cases/', import.meta.url)

// A new case is a folder with events.json; `vitest -u` writes what is expected of it, for a person to check.
describe.each(readdirSync(folder))('the events of the case %s', (name) => {
  const path = (file: string) => new URL(`${name}/${file}`, folder)
  const events = z.array(EventView).parse(JSON.parse(readFileSync(path('events.json'), 'utf8')))

  test.each(TraceFormat.options.filter((format) => format !== 'json'))('become a file for %s', async (format) => {
    const exported = exportEvents(events, { format, name: 'trace', version: '1.2.3' })
    await expect(exported.text).toMatchFileSnapshot(path(exported.name).pathname)
  })

  test('leave unchanged in the canonical form', () => {
    const exported = exportEvents(events, { format: 'json', name: 'trace', version: '1.2.3' })
    expect(exported.name).toBe('trace.json')
    expect(JSON.parse(exported.text)).toEqual({ events })
  })
})
