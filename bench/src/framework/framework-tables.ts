import type { Table } from '../report/tables.ts'
import { BASE, cpuOf, cpuRatio, startOf, startRatio, type FrameworkResults } from './framework-results.ts'
import { loadCases, type LoadCase } from './measure-load.ts'
import { features } from './probe/probe-features.ts'

const NONE = '–'

/** CPU of one call in µs, with the ratio to the SDK behind it. */
export function loadTable(results: FrameworkResults): Table {
  return [
    ['CPU µs per call (× SDK)', ...namesOf(results)],
    ...loadCases.map((load) => [describeLoad(load), ...namesOf(results).map((name) => cpuCell(results, name, load))]),
  ]
}

export const describeLoad = ({ way, tools }: LoadCase) =>
  `${way.replace('http/', 'HTTP, ').replace('stdio/', 'stdio, ')}, ${tools} ${tools === 1 ? 'tool' : 'tools'}`

function cpuCell(results: FrameworkResults, name: string, load: LoadCase): string {
  const cpu = cpuOf(results, name, load)
  if (cpu === undefined) return NONE
  const ratio = cpuRatio(results, name, load)
  return name === BASE || ratio === undefined ? cpu.toFixed(0) : `${cpu.toFixed(0)} (${ratio.toFixed(2)})`
}

/** Everything that is not a call: lines, start, memory, installation. */
export function costTable(results: FrameworkResults): Table {
  const names = namesOf(results)
  const row = (what: string, cell: (name: string) => string | undefined) => [
    what,
    ...names.map((name) => cell(name) ?? NONE),
  ]
  const memory = (name: string) => results.memories.find(({ contender }) => contender === name)
  const install = (name: string) => results.installs.find(({ contender }) => contender === name)
  const start = (name: string, figure: 'wallMs' | 'cpuMs') => {
    const ms = startOf(results, name, figure)
    const ratio = startRatio(results, name, figure)
    if (ms === undefined) return undefined
    return name === BASE || ratio === undefined ? ms.toFixed(0) : `${ms.toFixed(0)} (${ratio.toFixed(2)})`
  }
  const perConnection = (name: string, figure: 'heapBytes' | 'rssBytes') => {
    const found = memory(name)
    if (found === undefined) return undefined
    return found.connection === null ? 'keeps none' : (found.connection[figure] / 1000).toFixed(1)
  }
  return [
    ['', ...names],
    row('hello world, lines', (name) => helloCell(results, name)),
    row('cold start, ms (× SDK)', (name) => start(name, 'wallMs')),
    row('cold start, CPU ms (× SDK)', (name) => start(name, 'cpuMs')),
    row('idle RSS over stdio, MB', (name) => memory(name)?.idleStdioMb?.toFixed(0)),
    row('idle RSS over HTTP, MB', (name) => memory(name)?.idleHttpMb.toFixed(0)),
    row('idle legacy connection, RSS kB', (name) => perConnection(name, 'rssBytes')),
    row('idle legacy connection, heap kB', (name) => perConnection(name, 'heapBytes')),
    row('packages that you name', (name) => install(name)?.named.toString()),
    row('its own dependencies', (name) => install(name)?.dependencies.toString()),
    row('packages installed', (name) => install(name)?.packages.toString()),
    row('node_modules, MB', (name) => install(name)?.megabytes.toFixed(0)),
  ]
}

function helloCell({ hellos }: FrameworkResults, name: string): string | undefined {
  const hello = hellos.find(({ contender }) => contender === name)
  if (!hello) return undefined
  return hello.files === 1 ? String(hello.lines) : `${hello.lines} in ${hello.files} files`
}

export function featureTable(results: FrameworkResults): Table {
  const names = namesOf(results)
  return [
    ['probed', ...names],
    ...features.map(({ id, title }) => [
      title,
      ...names.map(
        (name) => results.findings.find((each) => each.contender === name && each.feature === id)?.shown ?? NONE,
      ),
    ]),
  ]
}

export function contenderTable({ contenders }: FrameworkResults): Table {
  return [
    ['name', 'package', 'version', 'measured as'],
    ...contenders.map(({ name, main, version, note }) => [name, `\`${main}\``, version, note]),
  ]
}

const namesOf = ({ contenders }: FrameworkResults) => contenders.map(({ name }) => name)
