import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HistoryLimits } from '@herma/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Descriptor } from '../../wire/index.ts'
import { createLog } from '../../platform/log.ts'
import { renderMetrics } from '../../platform/metric/metrics.ts'
import { openTestStore, storeKinds, type TestStore } from '../../platform/testing/test-store.ts'
import { createTemporaryHome, type TemporaryHome } from '../../platform/testing/temporary-home.ts'
import { DriftLog } from './drift-log.ts'
import { DriftFiles } from './drift-files.ts'
import { SnapshotStore } from './snapshot-store.ts'

function tool(name: string, description = 'Does it.'): Descriptor {
  return { name, description, inputSchema: { type: 'object' } }
}

describe.each(storeKinds)('drift in the %s store', (kind) => {
  let opened: TestStore
  let home: TemporaryHome

  beforeAll(async () => {
    opened = await openTestStore(kind)
  })
  beforeEach(async () => {
    await opened.store.pool.query('truncate catalog_snapshot, catalog_descriptor, catalog_drift')
    home = await createTemporaryHome()
    return () => home.remove()
  })
  afterAll(() => opened?.close())

  async function openRegistry(limits?: HistoryLimits): Promise<DriftLog> {
    const driftLog = new DriftLog({
      store: new SnapshotStore(opened.store),
      files: new DriftFiles(home.path),
      log: createLog('silent'),
      ...(limits === undefined ? {} : { limits }),
    })
    await driftLog.start()
    return driftLog
  }

  async function readJson(name: string): Promise<unknown> {
    return JSON.parse(await readFile(join(home.path, name), 'utf8'))
  }

  async function readLog(name = 'live_catalog_drift.log'): Promise<string[]> {
    return (await readFile(join(home.path, name), 'utf8')).trimEnd().split('\n')
  }

  test('is none between equal lists, and is told when it comes and goes', async () => {
    const driftLog = await openRegistry()
    expect(driftLog.latest()).toBeNull()
    expect(await driftLog.record([tool('a')], [tool('a')])).toMatchObject({ hasDrift: false, intended: { tools: 1 } })
    await driftLog.flush()
    const drifted = await driftLog.record([tool('a'), tool('b')], [tool('a', 'Other.'), tool('c')])
    expect(drifted).toMatchObject({
      hasDrift: true,
      counts: { missing: 1, extra: 1, changed: 1 },
      missing: ['b'],
      extra: ['c'],
      changed: [{ name: 'a', fields: [{ path: 'description', before: 'Does it.', after: 'Other.' }] }],
    })
    expect(driftLog.latest()).toEqual(drifted)
    await driftLog.flush()
    await driftLog.record([tool('a')], [tool('a')])
    const { drift } = await driftLog.history(10)
    expect(drift.map(({ hasDrift }) => hasDrift)).toEqual([false, true, false])
    expect(await readLog()).toEqual([
      expect.stringMatching(/Z no drift$/),
      expect.stringMatching(/Z missing 1: b; extra 1: c; changed 1: a \(description\)$/),
      expect.stringMatching(/Z no drift$/),
    ])
  })

  test('is written to files that people can read', async () => {
    const driftLog = await openRegistry()
    const metadata = { ...tool('a'), _meta: { 'x-herma': { server: 'one' } } }
    const { intended, live } = await driftLog.record([tool('a'), tool('b')], [metadata])
    await driftLog.stop()
    expect(await readJson('intended_catalog.json')).toMatchObject({ hash: intended.hash, toolCount: 2 })
    expect(await readJson('live_catalog.json')).toMatchObject({ hash: live.hash, toolCount: 1, tools: [metadata] })
    expect((await stat(join(home.path, 'live_catalog.json'))).mode & 0o077).toBe(0)
  })

  test('is in the files again after a restart without them', async () => {
    const first = await openRegistry()
    await first.record([tool('a')], [tool('a')])
    await first.stop()
    await rm(join(home.path, 'live_catalog.json'))
    const second = await openRegistry()
    await second.record([tool('a')], [tool('a')])
    await second.stop()
    expect(await readJson('live_catalog.json')).toMatchObject({ tools: [tool('a')] })
  })

  test('has a history that grows only with what is new, and shares what is not', async () => {
    const driftLog = await openRegistry()
    for (let round = 0; round < 3; round++) {
      await driftLog.record([tool('a'), tool('b')], [tool('a'), tool('b')])
      await driftLog.flush()
    }
    await driftLog.record([tool('a'), tool('b')], [tool('a')])
    const { snapshots, drift } = await driftLog.history(100)
    expect(snapshots).toMatchObject([
      { kind: 'live', tools: 1 },
      { kind: 'live', tools: 2 },
      { kind: 'intended', tools: 2 },
    ])
    expect(snapshots[1]!.hash).toBe(snapshots[2]!.hash)
    expect(drift).toHaveLength(2)
    const { rows } = await opened.store.pool.query('select count(*)::integer as count from catalog_descriptor')
    expect(rows).toEqual([{ count: 2 }])
    expect(await driftLog.tools(snapshots[1]!.id)).toEqual([tool('a'), tool('b')])
    for (const id of ['999999', 'x', '', '1; drop table pin'])
      await expect(driftLog.tools(id)).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
  })

  test('is known after a restart, and nothing is stored twice', async () => {
    const first = await openRegistry()
    const report = await first.record([tool('a')], [])
    await first.stop()
    const second = await openRegistry()
    expect(second.latest()).toEqual(report)
    await second.record([tool('a')], [])
    expect(await second.history(100)).toMatchObject({
      snapshots: [{ kind: 'live' }, { kind: 'intended' }],
      drift: [{}],
    })
  })

  test('keeps no more history than the limits say, by number and by age', async () => {
    const driftLog = await openRegistry({ keep: 3, olderThanDays: 30 })
    for (let round = 0; round < 6; round++) {
      await driftLog.record([tool(`a${round}`)], [])
      await driftLog.flush()
    }
    const { snapshots } = await driftLog.history(100)
    expect(snapshots.filter(({ kind: of }) => of === 'intended')).toHaveLength(3)
    await opened.store.pool.query(`update catalog_snapshot set at = now() - interval '40 days'`)
    await opened.store.pool.query(`update catalog_drift set at = now() - interval '40 days'`)
    expect(await driftLog.prune()).toEqual({ snapshots: 2, drift: 2, descriptors: 2 })
    expect(await driftLog.history(100)).toMatchObject({ snapshots: [{}, {}], drift: [{}] })
    expect(await driftLog.prune(HistoryLimits.parse({ keep: 1 }))).toEqual({ snapshots: 0, drift: 0, descriptors: 0 })
  })

  test('is shown in the metrics', async () => {
    const driftLog = await openRegistry()
    expect(renderMetrics(driftLog.metrics)).toContain('herma_catalog_drift_missing 0\n')
    await driftLog.record(
      [tool('a'), tool('b'), tool('c')],
      [tool('c', 'Other.'), tool('d')],
      new Date('2026-07-28T00:00:00Z'),
    )
    await driftLog.stop()
    const text = renderMetrics(driftLog.metrics)
    expect(text).toContain('herma_catalog_drift_missing 2\n')
    expect(text).toContain('herma_catalog_drift_extra 1\n')
    expect(text).toContain('herma_catalog_drift_changed 1\n')
    expect(text).toContain('herma_catalog_last_capture_timestamp_seconds 1785196800\n')
    expect(text).toContain('herma_catalog_snapshots{kind="live"} 1\n')
  })

  test('starts another log when the first is full', async () => {
    const driftLog = await openRegistry()
    await writeFile(join(home.path, 'live_catalog_drift.log'), 'x'.repeat(1024 * 1024))
    await driftLog.record([tool('line\nbreak')], [])
    await driftLog.stop()
    expect(await readLog()).toEqual([expect.stringMatching(/missing 1: line\\nbreak$/)])
    expect((await stat(join(home.path, 'live_catalog_drift.log.1'))).size).toBe(1024 * 1024)
  })

  test('is still compared when nothing can be written', async () => {
    const driftLog = await openRegistry()
    await home.remove()
    expect(await driftLog.record([tool('a')], [])).toMatchObject({ hasDrift: true })
    await driftLog.stop()
    expect(driftLog.latest()).toMatchObject({ missing: ['a'] })
  })

  test('of many captures at once ends with the last', async () => {
    const driftLog = await openRegistry()
    const start = Date.now()
    const captures = Array.from({ length: 20 }, (_, index) =>
      driftLog.record([tool('a')], [tool(`b${index}`)], new Date(start + index)),
    )
    await Promise.all(captures)
    expect(driftLog.latest()?.extra).toEqual(['b19'])
    expect((await driftLog.history(1)).drift).toMatchObject([{ extra: ['b19'] }])
  })

  test('holds whatever a server can say', async () => {
    const odd = { name: 'na\0me \ud800', description: '\0', inputSchema: {} }
    const driftLog = await openRegistry()
    await driftLog.record([odd], [])
    const { snapshots, drift } = await driftLog.history(10)
    expect(await driftLog.tools(snapshots.find(({ kind: of }) => of === 'intended')!.id)).toEqual([odd])
    expect(drift).toMatchObject([{ missing: [odd.name] }])
  })
})
