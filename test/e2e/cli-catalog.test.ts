import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { CatalogTool, DriftReport, PinReview, PinView, ToolDetail } from '@herma/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { captureTerminal } from '../../packages/hub/src/cli/capture-terminal.ts'
import { runCli } from '../../packages/hub/src/cli/run-cli.ts'
import { catalogConnectors } from '../fixtures/catalog/catalog-connectors.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'

let hub: TestHub
let configHome: string

beforeAll(async () => {
  hub = await startTestHub()
  configHome = dirname(hub.stateHome)
  await mkdir(join(configHome, 'catalog'))
})

afterAll(() => hub.stop())

async function herma(words: string[], options: { input?: string; isTTY?: boolean } = {}) {
  const env = { HERMA_CONFIG_HOME: configHome, HERMA_STATE_HOME: hub.stateHome }
  const { terminal, written } = captureTerminal({ env, ...options })
  const code = await runCli(words, terminal)
  return { code, ...written }
}

async function hermaJson<Value>(...words: string[]): Promise<Value> {
  return JSON.parse((await herma([...words, '--json'])).out) as Value
}

const readTool = {
  name: 'read',
  description: 'Reads a note.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
}
const dropTool = { name: 'drop', description: 'Forgets a note.', inputSchema: { type: 'object' } }

/** A server whose tools can be changed while it runs; changed ones are blocked. */
async function addChanging(name: string, tools: readonly object[] = [readTool, dropTool]) {
  const file = join(configHome, `${name}.tools.json`)
  const change = (changed: readonly object[]) => writeFile(file, JSON.stringify(changed))
  await change(tools)
  await hub.add(catalogConnectors.changing(file, { name, options: { pinning: 'block' } }))
  const pins = async () => (await hermaJson<{ pins: PinView[] }>('catalog', 'pins', '--server', name)).pins
  return {
    change,
    /** Waits until a tool is in a state. */
    settled: (tool: string, state: PinView['state']) =>
      waitFor(async () => (await pins()).find((pin) => pin.tool === tool && pin.state === state)),
    [Symbol.asyncDispose]: async () => void (await herma(['remove', name])),
  }
}

/** Puts a file into the catalog and waits for nothing: the hub is told to read it. */
async function addFragment(name: string, content: string | object) {
  const file = join(configHome, 'catalog', name)
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  const reloaded = await herma(['catalog', 'fragments', '--reload'])
  return {
    reloaded,
    [Symbol.asyncDispose]: async () => {
      await rm(file)
      await herma(['catalog', 'fragments', '--reload'])
    },
  }
}

test('a tool is overridden, shown by any of its names, and taken back', async () => {
  await using _ = await addChanging('notes')
  const words = ['--name', 'read_note', '--description', 'Reads it all.', '--tag', 'a', '--tag', 'b']
  const hints = ['--annotations', '{"readOnlyHint":true}']
  const changed = await herma(['catalog', 'override', 'notes', 'read', ...words, ...hints])
  expect(changed).toMatchObject({ code: 0, out: expect.stringContaining("Changed 'read' of 'notes'.") })
  const shown = await herma(['catalog', 'show', 'read_note'])
  expect(shown.out).toMatch(/Tags +a, b\n/)
  expect(shown.out).toMatch(
    /description +original +Reads a note\.\n +override in \(database\) +Reads it all\.\n +exposed +Reads it all\.\n +state +kept/,
  )
  expect((await herma(['catalog', 'show', 'notes', 'read'])).out).toBe(shown.out)
  expect((await herma(['tools', 'notes'])).out).toContain('read_note')

  const schema = join(configHome, 'schema.json')
  await writeFile(schema, '{"type":"object","properties":{"file":{"type":"string"}}}')
  const more = ['--clear', 'name', '--clear', 'tags', '--title', 'A note', '--input-schema', schema]
  expect((await herma(['catalog', 'override', 'read_note', ...more])).code).toBe(0)
  const { fields, tags, name } = await hermaJson<ToolDetail>('catalog', 'show', 'notes__read')
  expect({ tags, name }).toEqual({ tags: [], name: 'notes__read' })
  expect(fields.find(({ field }) => field === 'inputSchema')!.exposed).toHaveProperty('properties.file')
  expect((await herma(['catalog', 'overrides'])).out).toMatch(/notes +read +title +A note\n/)

  expect((await herma(['catalog', 'reset', 'notes', 'read'])).code).toBe(0)
  expect((await herma(['catalog', 'overrides'])).out).toContain('Nothing was said by hand')
  expect(await herma(['catalog', 'reset', 'notes', 'read'])).toMatchObject({ code: 4 })
})

test('an override with wildcards hides many tools, and one for a tool that is not there says so', async () => {
  await using _ = await addChanging('wild')
  expect((await herma(['catalog', 'override', 'wild', '*', '--disable'])).code).toBe(0)
  expect((await herma(['catalog', 'list', '--server', 'wild'])).out).toContain("Clients see no tools of 'wild'")
  const { tools } = await hermaJson<{ tools: CatalogTool[] }>('catalog', 'list', '--server', 'wild', '--all')
  expect(tools.map(({ name, hiddenBecause }) => ({ name, hiddenBecause }))).toEqual([
    { name: null, hiddenBecause: 'disabled in (database)' },
    { name: null, hiddenBecause: 'disabled in (database)' },
  ])
  expect(await herma(['catalog', 'override', 'wild', 'absent', '--enable'])).toMatchObject({
    code: 0,
    error: expect.stringContaining("'wild' has no tool 'absent' now"),
  })
  await herma(['catalog', 'reset', 'wild', 'absent'])
  await herma(['catalog', 'reset', 'wild', '*'])
})

test('a field that its server changed conflicts with the override until that is accepted', async () => {
  await using server = await addChanging('moving')
  await herma(['catalog', 'override', 'moving', 'read', '--description', 'Mine.'])
  await server.change([{ ...readTool, description: 'Reads a note, later.' }])
  await server.settled('read', 'blocked')
  const shown = (await herma(['catalog', 'show', 'moving', 'read'])).out
  expect(shown).toMatch(/state +conflicting.*\n +original then +Reads a note\./)
  expect((await herma(['catalog', 'accept', 'moving', 'read'])).out).toMatch(/exposed +Mine\.\n +state +kept/)
  await herma(['catalog', 'reset', 'moving', 'read'])
})

test('a changed tool is reviewed as a diff and approved only as it was reviewed', async () => {
  await using server = await addChanging('shifty')
  await server.change([{ ...readTool, description: 'Reads a note.\u200b' }, dropTool])
  await server.settled('read', 'blocked')
  const { hash } = await hermaJson<PinReview>('catalog', 'review', 'shifty', 'read')
  const review = await herma(['catalog', 'review', 'shifty', 'read'])
  expect(review.out).toContain('description (changed)\n  - Reads a note.\n  + Reads a note.\\u200b\n')
  expect(review.out).toContain(`herma catalog approve shifty read --hash ${hash}`)
  const coloured = await herma(['catalog', 'review', 'shifty', 'read'], { isTTY: true })
  expect(coloured.out).toContain('\u001B[31m  - Reads a note.\u001B[39m\n\u001B[32m  + Reads')
  expect(await herma(['catalog', 'scan'])).toMatchObject({ code: 1, out: expect.stringContaining('danger: ') })

  await server.change([{ ...readTool, description: 'Reads a note, somehow.' }, dropTool])
  await waitFor(async () => {
    const now = await hermaJson<PinReview>('catalog', 'review', 'shifty', 'read')
    return now.hash === hash ? undefined : now
  })
  const late = await herma(['catalog', 'approve', 'shifty', 'read', '--hash', hash])
  expect(late).toMatchObject({ code: 1, error: expect.stringMatching(/^Nothing was approved\. .*has changed since/) })

  const unasked = await herma(['catalog', 'approve', 'shifty', 'read'])
  expect(unasked).toMatchObject({ code: 2, out: expect.stringContaining('+ Reads a note, somehow.') })
  expect(unasked.error).toContain('--yes')
  const refused = await herma(['catalog', 'approve', 'shifty', 'read'], { isTTY: true, input: 'n\n' })
  expect(refused).toMatchObject({ code: 1, error: expect.stringContaining('Nothing was changed.') })
  await server.settled('read', 'blocked')
  const asked = await herma(['catalog', 'approve', 'shifty', 'read'], { isTTY: true, input: 'y\n' })
  expect(asked).toMatchObject({ code: 0, out: expect.stringContaining('Approved: read') })
  await server.settled('read', 'approved')
  expect((await herma(['catalog', 'scan'])).code).toBe(0)
})

test('all tools that wait are approved at once, and those that are gone are not expected any more', async () => {
  await using server = await addChanging('growing')
  await server.change([readTool, { ...dropTool, name: 'new one' }])
  await server.settled('new one', 'blocked')
  expect((await herma(['catalog', 'pins', '--pending'])).out).toContain("herma catalog review growing 'new one'")
  expect(await herma(['catalog', 'approve', 'growing', '--all', '--yes'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('Approved: new one'),
  })
  expect((await herma(['catalog', 'approve', 'growing', '--all', '--yes'])).out).toContain('Nothing of this waits')
  expect(await herma(['catalog', 'approve', 'growing', '--gone', '--yes', '--json'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('"drop"'),
  })
  expect((await herma(['catalog', 'approve', 'growing', '--gone', '--yes'])).out).toContain('offers every tool')
})

test('drift has an exit code of its own, is shown field by field, kept, and forgotten', async () => {
  await using server = await addChanging('drifting')
  expect(await herma(['catalog', 'verify', '--fail-on-drift'])).toMatchObject({ code: 0 })
  await server.change([{ ...readTool, description: 'Reads something else.' }, dropTool])
  await server.settled('read', 'blocked')
  expect(await herma(['catalog', 'verify', '--fail-on-drift'])).toMatchObject({
    code: 6,
    out: expect.stringContaining('1 missing'),
  })
  expect((await herma(['catalog', 'verify'])).code).toBe(0)
  expect((await herma(['catalog', 'diff'])).out).toContain('- drifting__read: intended')

  await herma(['edit', 'drifting', '--option', 'pinning=warn'])
  const drift = await waitFor(async () => {
    const report = await hermaJson<DriftReport>('catalog', 'diff')
    return report.counts.changed > 0 ? report : undefined
  })
  expect(drift.changed.map(({ name }) => name)).toEqual(['drifting__read'])
  expect((await herma(['catalog', 'diff'])).out).toContain(
    '~ drifting__read\n  description (changed)\n    - Reads a note.\n    + Reads something else.',
  )
  expect((await herma(['catalog', 'list', '--server', 'drifting'])).out).toMatch(/drifting__read .*listed, pending/)

  const file = join(configHome, 'intended.json')
  expect((await herma(['catalog', 'render', '--output', file])).out).toMatch(/^Wrote \d+ tools? to /)
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(await hermaJson('catalog', 'render'))
  expect((await herma(['catalog', 'history', '--limit', '5'])).out).toMatch(/CATALOG SINCE[^]*COMPARED/)
  expect((await herma(['catalog', 'prune', '--keep', '1', '--older-than', '30'])).out).toMatch(/^Forgot \d+ catalogs?/)
})

const fragment = {
  schemaVersion: 1,
  name: 'core',
  hiddenTools: [{ server: 'curated', tool: 'drop', reason: 'too sharp' }],
  aggregations: [
    {
      name: 'note',
      description: 'Works with notes.',
      inputSchema: { type: 'object', properties: { operation: { type: 'string' }, path: { type: 'string' } } },
      operations: [
        {
          value: 'read',
          downstreamServer: 'curated',
          downstreamTool: 'read',
          argumentMappings: [{ target: 'path', required: true }],
        },
      ],
    },
  ],
  views: [{ name: 'reader', include: [{ tool: 'note' }] }],
}

test('a file hides, combines and views tools, and what it makes can be listed, found, counted and tried out', async () => {
  await using _ = await addChanging('curated')
  await using file = await addFragment('core.json', fragment)
  expect(file.reloaded).toMatchObject({ code: 0, out: expect.stringMatching(/catalog\/core\.json +catalog +in use/) })
  const list = (await herma(['catalog', 'list', '--all'])).out
  expect(list).toMatch(/note +herma +note +\d+ +listed\n/)
  expect(list).toMatch(/- +curated +drop +\d+ +hidden in catalog\/core\.json: too sharp\n/)
  expect((await herma(['catalog', 'list'])).out).not.toContain('drop')
  expect((await herma(['catalog', 'search', 'works', 'with', 'notes'])).out).toMatch(/NAME.*\nnote +herma/)
  expect((await herma(['catalog', 'cost'])).out).toMatch(/curated +1 +\d+[^]*MODE[^]*full +\d+\nsearch +\d+/)
  expect((await herma(['catalog', 'views'])).out).toMatch(/reader +- +- +tool=note/)

  const tried = await herma(['catalog', 'dry-run', 'note', '--json', '{"operation":"read","path":"a.txt"}'])
  expect(tried).toMatchObject({ code: 0, out: 'read: curated read\n  {"path":"a.txt"}\n' })
  const incomplete = await herma(['catalog', 'dry-run', 'note', '--json', '-'], { input: '{"operation":"read"}' })
  expect(incomplete).toMatchObject({ code: 1, out: expect.stringContaining("Problem: Operation 'read'") })
  expect((await herma(['catalog', 'dry-run', 'nothing'])).code).toBe(4)
})

test('a bad file is told with line and column, by the hub and without one', async () => {
  await using file = await addFragment('bad.json', '{\n  "schemaVersion": 1,\n  "hiddenTols": []\n}\n')
  const place = /catalog\/bad\.json:3:3: error: .*hiddenTools/
  expect(file.reloaded).toMatchObject({ code: 1, out: expect.stringMatching(place) })
  expect(await herma(['catalog', 'fragments'])).toMatchObject({ code: 1 })

  const { terminal, written } = captureTerminal({
    env: { HERMA_CONFIG_HOME: configHome, HERMA_STATE_HOME: '/nowhere' },
  })
  expect(await runCli(['catalog', 'check'], terminal)).toBe(1)
  expect(written.out).toMatch(place)
  const elsewhere = join(configHome, 'elsewhere.json')
  await writeFile(elsewhere, JSON.stringify(fragment))
  expect((await herma(['catalog', 'check', elsewhere])).code).toBe(0)
  expect(await herma(['catalog', 'check', elsewhere, join(configHome, 'absent.json')])).toMatchObject({
    code: 1,
    out: expect.stringContaining('absent.json: error: There is no such file.'),
  })
})

test('a server with a view and a mode of its own is added, changed and removed', async () => {
  const added = await herma(['server', 'add', 'small', '--mode', 'search', '--view', 'nobody'])
  expect(added).toMatchObject({ code: 0, out: expect.stringContaining('/api/mcp/servers/small/stream') })
  expect(added.error).toContain("No view is named 'nobody' so far")
  expect((await herma(['server'])).out).toMatch(
    /facade +facade +\d+ +- +full +- .*\nsmall +custom +3 +- +search +nobody /,
  )
  const changed = await herma(['server', 'small', '--view', 'none', '--metadata', 'off', '--schemas', 'strict'])
  expect(changed.out).toMatch(/View +the one.*\nMetadata +off\nSchemas +strict\nFallbacks +auto\n/)
  expect((await herma(['server', '--mode', 'code'])).out).toMatch(/Name +facade\n[^]*Mode +code\n/)
  await herma(['server', 'facade', '--mode', 'full'])
  expect(await herma(['server', 'add', 'small'])).toMatchObject({ code: 1 })
  expect(await herma(['server', 'remove', 'small'])).toMatchObject({ code: 0, out: "Removed 'small'.\n" })
  expect(await herma(['server', 'small'])).toMatchObject({ code: 4 })
  expect(await herma(['server', 'remove', 'facade'])).toMatchObject({ code: 1 })
})

test.each([
  [['list', '--server', 'nobody'], 4, 'nobody'],
  [['show', 'nobody'], 4, "Clients see no tool 'nobody'"],
  [['show', 'nobody', 'nothing'], 4, 'nothing'],
  [['override', 'a', 'b'], 2, 'Nothing to change'],
  [['override', 'a', 'b', '--enable', '--disable'], 2, 'not both'],
  [['override', 'a', 'b', '--clear', 'colour'], 2, "no 'colour'"],
  [['override', 'a', 'b', '--title', 'x', '--clear', 'title'], 2, 'given and cleared'],
  [['override', 'a', 'b', '--tag', 'Not A Tag'], 2, 'tags.0'],
  [['override', 'a', 'b', '--annotations', '{"colour":"red"}'], 2, 'annotations'],
  [['override', 'a', 'b', '--input-schema', '/nowhere'], 2, '--input-schema'],
  [['approve', 'a'], 2, '--all'],
  [['approve', 'a', '--all', '--gone'], 2, '--all'],
  [['approve', 'a', 'b', 'c', '--hash', 'd'], 2, 'one tool'],
  [['approve', 'a', 'b', '--hash', 'd'], 2, '64'],
  [['search', 'x', '--limit', '0'], 2, 'from 1 to 100'],
  [['prune', '--keep', 'few'], 2, "'few'"],
  [['dry-run', 'x', '--json', '[]'], 2, 'JSON object'],
  [['render', '--output', '/nowhere/file'], 1, '/nowhere/file'],
  [['lst'], 2, 'herma catalog --help'],
  [['show'], 2, 'herma catalog show --help'],
])('herma catalog %j ends with %i and says why', async (words, code, message) => {
  expect(await herma(['catalog', ...words])).toMatchObject({ code, error: expect.stringContaining(message) })
})

test('a composite is set from a file, tried before it is saved, shown, renamed and removed', async () => {
  await using _ = await addChanging('drawer')
  const definition = {
    name: 'cabinet',
    description: 'Notes.',
    inputSchema: { type: 'object', properties: { operation: { type: 'string' }, path: { type: 'string' } } },
    operations: [{ value: 'read', downstreamServer: 'drawer', downstreamTool: 'read' }],
  }
  const file = join(configHome, 'cabinet.json')
  await writeFile(file, JSON.stringify(definition))
  const dry = await herma(['catalog', 'dry-run', '--definition', file, '--json', '{"operation":"read","path":"a"}'])
  expect(dry).toMatchObject({ code: 0, out: expect.stringContaining('read: drawer read\n  {"path":"a"}') })
  expect((await herma(['catalog', 'composite', 'list'])).out).toContain('There are none')
  expect(await herma(['catalog', 'composite', 'set', file])).toMatchObject({
    code: 0,
    out: expect.stringContaining("Saved the aggregate 'cabinet' in catalog/herma.json."),
  })
  expect((await herma(['catalog', 'composite', 'list'])).out).toMatch(
    /cabinet +aggregate +catalog\/herma\.json +in use/,
  )
  expect(JSON.parse((await herma(['catalog', 'composite', 'show', 'cabinet'])).out)).toEqual(definition)
  await writeFile(file, JSON.stringify({ ...definition, name: 'shelf' }))
  expect((await herma(['catalog', 'composite', 'set', file, '--rename', 'cabinet'])).code).toBe(0)
  expect(await herma(['catalog', 'composite', 'show', 'cabinet'])).toMatchObject({ code: 4 })
  const twice = [...definition.operations, ...definition.operations]
  await writeFile(file, JSON.stringify({ ...definition, name: 'shelf', operations: [...twice, { value: 1 }] }))
  expect(await herma(['catalog', 'composite', 'set', file])).toMatchObject({
    code: 2,
    error: expect.stringContaining('operations'),
  })
  expect((await herma(['catalog', 'composite', 'remove', 'shelf'])).code).toBe(0)
  expect(await herma(['catalog', 'composite', 'remove', 'shelf'])).toMatchObject({ code: 4 })
})
