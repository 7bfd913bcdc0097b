import { cpuOf, OURS, startOf, type FrameworkResults } from './framework-results.ts'
import { describeLoad } from './framework-tables.ts'
import { loadCases } from './measure-load.ts'
import { features } from './probe/probe-features.ts'

/** Where somebody else is ahead of us, one line for each figure and each feature; computed, so that none is forgotten. */
export function findBetterElsewhere(results: FrameworkResults): string[] {
  const memory = (name: string) => results.memories.find(({ contender }) => contender === name)
  const install = (name: string) => results.installs.find(({ contender }) => contender === name)
  const figures: [what: string, unit: string, figure: (name: string) => number | null | undefined][] = [
    ...loadCases.map((load): [string, string, (name: string) => number | undefined] => [
      `CPU of a call, ${describeLoad(load)}`,
      'µs',
      (name) => cpuOf(results, name, load),
    ]),
    ['lines of the hello world', '', (name) => results.hellos.find(({ contender }) => contender === name)?.lines],
    ['cold start', 'ms', (name) => startOf(results, name, 'wallMs')],
    ['CPU of a cold start', 'ms', (name) => startOf(results, name, 'cpuMs')],
    ['idle memory over stdio', 'MB', (name) => memory(name)?.idleStdioMb],
    ['idle memory over HTTP', 'MB', (name) => memory(name)?.idleHttpMb],
    ['heap of an idle legacy connection', 'bytes', (name) => memory(name)?.connection?.heapBytes],
    ['packages that you name', '', (name) => install(name)?.named],
    ['packages installed', '', (name) => install(name)?.packages],
    ['size of the installation', 'MB', (name) => install(name)?.megabytes],
  ]
  return [
    ...figures.flatMap(([what, unit, figure]) => {
      const ours = figure(OURS)
      const ahead = othersOf(results).flatMap((name) => {
        const theirs = figure(name)
        // Less than five percent is within what two runs differ by.
        return isNumber(theirs) && isNumber(ours) && theirs < ours * 0.95 ? [`${name} ${round(theirs)}`] : []
      })
      return ahead.length > 0 && isNumber(ours)
        ? [`${what}: ${ahead.join(', ')}; ours ${round(ours)} ${unit}`.trim()]
        : []
    }),
    ...features.flatMap(({ id, title }) => {
      const shown = (name: string) =>
        results.findings.find((each) => each.contender === name && each.feature === id)?.shown
      const ahead = othersOf(results).filter((name) => rank(shown(name)) > rank(shown(OURS)))
      return ahead.length > 0 ? [`${title}: ${ahead.join(', ')}; ours: ${shown(OURS) ?? 'not probed'}`] : []
    }),
  ]
}

const othersOf = ({ contenders }: FrameworkResults) =>
  contenders.map(({ name }) => name).filter((name) => name !== OURS)

/** Words such as "4 of 5" count by their number, so that more revisions are more. */
function rank(shown: string | undefined): number {
  if (shown === undefined || shown === 'no' || shown === 'not probed') return 0
  if (shown === 'yes' || shown.startsWith('all ')) return 10
  return shown === 'by hand' ? 5 : Number.parseInt(shown, 10) || 5
}

const isNumber = (value: number | null | undefined): value is number => value !== null && value !== undefined

const round = (value: number) => (value < 10 ? value.toFixed(1) : value.toFixed(0))
