// Where the time of a call goes: the hub under load with a profiler, its own time by the part of the code it is spent in.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { cases, type Case } from './cases.ts'
import { freePort } from './machine/free-port.ts'
import { describeMachine } from './machine/describe-machine.ts'
import { stopAllProcesses } from './machine/start-process.ts'
import { makeTemporaryFolder, removeTemporaryFolder } from './machine/temporary-folder.ts'
import { CpuProbe, type CpuProfile } from './measure/cpu-probe.ts'
import { LoadClient } from './run/load-client.ts'
import { startFleet } from './run/start-fleet.ts'
import { addConnectors, launchHub, openApi, waitUntilReady } from './target/herma.ts'
import { totalTools, waitUntilServing } from './target/target.ts'

const { values } = parseArgs({
  options: {
    cases: {
      type: 'string',
      default:
        'http/legacy/echo/c1,http/legacy/echo/c64,http/modern/echo/c1,http/modern/echo/c64,stdio/legacy/echo/c1,stdio/legacy/echo/c64,stdio/modern/echo/c16',
    },
    seconds: { type: 'string', default: '3' },
    /** Other Node binaries beside this one. */
    node: { type: 'string', multiple: true, default: [] },
    functions: { type: 'string', default: '0' },
    write: { type: 'boolean', default: false },
  },
})

/** Of the places in the code, the first that fits says which step of a call it is. */
const steps: readonly [string, RegExp][] = [
  ['HTTP and framing of ours', /platform\/fast-http/],
  ["node:http's objects", /^node:_http|^node:internal\/http/],
  ["undici's objects", /\/undici\/|^node:internal\/deps\/undici/],
  [
    "Node's sockets, streams and events",
    /^node:(net|events|internal\/(stream|streams|net)|buffer|internal\/buffer|string_decoder)/,
  ],
  ["Node's ticks, timers and the rest", /^node:/],
  ['who asks, and may they', /hub\/src\/access/],
  ['endpoint and response', /hub\/src\/gateway\/transport|framework\/src\/buffer/],
  ['exchange and steps', /hub\/src\/gateway/],
  ['names and catalog', /hub\/src\/catalog/],
  ['messages as text', /hub\/src\/wire|framework\/src\/(wire|protocol)/],
  ['to the server and back', /hub\/src\/downstream/],
  ['recording', /hub\/src\/(trace|secret|platform\/(events|store))|\/pg|drizzle/],
  ['the rest of Herma', /hub\/src|framework\/src|contract\/src/],
]

interface Profiled {
  readonly node: string
  readonly name: string
  readonly calls: number
  /** µs of a call, by step. */
  readonly steps: ReadonlyMap<string, number>
  readonly functions: readonly (readonly [string, number])[]
}

const maps = new Map<string, SourceMap | null>()
const client = new LoadClient()
const profiled: Profiled[] = []
try {
  for (const node of [process.execPath, ...values.node])
    for (const name of values.cases.split(',')) {
      const found = cases.find((each) => each.name === name)
      if (found === undefined) throw new Error(`No case is called '${name}'. See: npm run bench -- --list`)
      profiled.push(await profile(found, node))
    }
} finally {
  await client.close()
  await stopAllProcesses()
}
const text = render()
process.stdout.write(text)
if (values.write) writeFileSync(fileURLToPath(new URL('../PROFILE.md', import.meta.url)), text)

async function profile(each: Case, node: string): Promise<Profiled> {
  process.stderr.write(`${each.name} …\n`)
  const fleet = await startFleet(each.setup)
  const home = await makeTemporaryFolder('herma')
  const port = await freePort()
  const hub = await launchHub(home, [`--inspect=127.0.0.1:${port}`], { node })
  try {
    await waitUntilReady(hub)
    await addConnectors(await openApi(hub), fleet)
    const toolCount = totalTools(fleet)
    const endpoint = { kind: 'http' as const, url: hub.endpoint }
    await waitUntilServing({ endpoint, dialect: 'legacy', toolCount }, hub.started)
    const probe = await CpuProbe.attach(port)
    const load = (measureMs: number) =>
      client.run({
        endpoints: [endpoint],
        toolCount,
        processId: hub.started.processId,
        dialect: each.era,
        operation: each.operation,
        concurrency: each.concurrency,
        warmMs: 0,
        measureMs,
        minCalls: 0,
        timeoutMs: 20_000,
        payloadBytes: 100_000,
      })
    // Until its code is compiled, a hub is another program.
    await load(3000)
    await probe.start()
    const { calls } = await load(Number(values.seconds) * 1000)
    const found = await probe.stop()
    probe.close()
    return { node: await probe.version, name: each.name, calls, ...sumBySteps(found, calls) }
  } finally {
    await hub.started.stop()
    await fleet.stop()
    await removeTemporaryFolder(home)
  }
}

/** Time that each function spent itself, in all and by the step that it belongs to. */
function sumBySteps(found: CpuProfile, calls: number): Pick<Profiled, 'steps' | 'functions'> {
  const own = new Map<number, number>()
  for (const [index, id] of found.samples.entries())
    own.set(id, (own.get(id) ?? 0) + Math.max(0, found.timeDeltas[index] ?? 0))
  const bySteps = new Map<string, number>()
  const byFunction = new Map<string, number>()
  for (const { id, callFrame } of found.nodes) {
    const us = (own.get(id) ?? 0) / calls
    const source = sourceOf(callFrame)
    const step = stepOf(callFrame.functionName, source)
    if (us === 0 || step === null) continue
    bySteps.set(step, (bySteps.get(step) ?? 0) + us)
    const place = `${callFrame.functionName || '(anonymous)'} ${source}`
    byFunction.set(place, (byFunction.get(place) ?? 0) + us)
  }
  return { steps: bySteps, functions: [...byFunction].toSorted((one, other) => other[1] - one[1]) }
}

function stepOf(functionName: string, source: string): string | null {
  if (functionName === '(idle)' || functionName === '(root)') return null
  if (functionName === '(garbage collector)') return 'garbage collection'
  if (functionName === '(program)') return 'the system, outside of JavaScript'
  if (/^write(Utf8String|Latin1String|Buffer|v)$/.test(functionName))
    return 'writing to sockets and pipes, in the system'
  return steps.find(([, pattern]) => pattern.test(source))?.[0] ?? (source === '' ? 'V8 and native functions' : 'other')
}

/** The source that a function of the bundled product comes from. */
function sourceOf({ url, lineNumber, columnNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  if (!url.startsWith('file:')) return url
  const file = `${fileURLToPath(url)}.map`
  let map = maps.get(file)
  if (map === undefined) {
    map = existsSync(file)
      ? new SourceMap(JSON.parse(readFileSync(file, 'utf8')) as ConstructorParameters<typeof SourceMap>[0])
      : null
    maps.set(file, map)
  }
  const found = map?.findEntry(lineNumber, columnNumber)
  const source = found !== undefined && 'originalSource' in found ? new URL(found.originalSource, url).pathname : url
  return source.replace(/^.*(?=(?:packages|node_modules)\/)/, '')
}

function render(): string {
  const { cpu, cores, date } = describeMachine()
  const names = [...new Set(profiled.flatMap((each) => [...each.steps.keys()]))]
  const total = (each: Profiled) => [...each.steps.values()].reduce((all, us) => all + us, 0)
  const most = (name: string) => Math.max(...profiled.map((each) => each.steps.get(name) ?? 0))
  const row = (label: string, value: (each: Profiled) => number) =>
    `| ${label} | ${profiled.map((each) => value(each).toFixed(1)).join(' | ')} |`
  const lines = [
    '# Where the time of a call goes',
    '',
    `Made by \`npm run bench -- profile --write\` on ${cpu}, ${cores} cores, ${date}. µs of the hub's main thread for one`,
    'call, by where in the code they are spent. The profiler costs something itself, and the database is another process.',
    '',
    `| µs a call | ${profiled.map(({ node, name }) => `${name}, Node ${node}`).join(' | ')} |`,
    `|---|${profiled.map(() => '---').join('|')}|`,
    ...names
      .toSorted((one, other) => most(other) - most(one))
      .map((name) => row(name, (each) => each.steps.get(name) ?? 0)),
    row('**all**', total),
    '',
  ]
  for (const each of Number(values.functions) > 0 ? profiled : []) {
    lines.push(`## ${each.name}, Node ${each.node}`, '')
    for (const [place, us] of each.functions.slice(0, Number(values.functions)))
      lines.push(`- ${us.toFixed(2)} ${place}`)
    lines.push('')
  }
  return `${lines.join('\n')}\n`
}
