import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { cases, quickCases, type Case } from './cases.ts'
import { createBare } from './target/bare.ts'
import { createBefore, createHerma } from './target/herma.ts'
import { targets } from './target/targets.ts'
import type { Target } from './target/target.ts'

export interface BenchOptions {
  targets: Target[]
  /** True when the user chose them: then a target that does not start is an error. */
  areTargetsChosen: boolean
  cases: Case[]
  /** Whether to measure memory at rest, start time and memory of a connection. */
  hasFootprint: boolean
  isQuick: boolean
  rounds: number
  warmMs: number
  measureMs: number
  writesReport: boolean
  /** Where the results go; absent = bench/results/latest.json. */
  out: string | undefined
  /** Whether targets have a core of their own. */
  isPinned: boolean
}

export const HELP = `npm run bench -- [options]

  --quick             about a minute: the main cases, two short rounds
  --targets a,b       ${targets.map((target) => target.name).join(', ')}
  --cases a,b         names or parts between slashes, for example http/legacy,c64; "footprint" for memory and start time
  --rounds N          rounds (5)
  --seconds S         measured time of one turn (1.5)
  --write             render bench/RESULTS.md
  --out FILE          where the results go as JSON (bench/results/latest.json)
  --against FOLDER    another built clone as the target 'before', for example of the commit before a change
  --node FILE         another Node, such as one of 24: adds bare and herma on it
  --no-pin            processes run on whichever core; without it targets have the last one, all else the others
  --list              list the cases and stop
`

const FOOTPRINT = 'footprint'

/** Reads the command line; throws an error that a person can act on. */
export function parseOptions(args: string[]): BenchOptions | 'help' | 'list' {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      targets: { type: 'string' },
      cases: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      write: { type: 'boolean', default: false },
      out: { type: 'string' },
      against: { type: 'string', multiple: true },
      node: { type: 'string', multiple: true },
      'no-pin': { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  if (values.list) return 'list'
  const isQuick = values.quick
  const chosen = values.targets === undefined ? targets : values.targets.split(',').map(findTarget)
  const wantedCases = values.cases?.split(',') ?? (isQuick ? [...quickCases, FOOTPRINT] : undefined)
  return {
    isQuick,
    targets: [
      ...chosen,
      ...(values.against ?? []).map((clone, index) => createBefore(clone, index)),
      ...(values.node ?? []).flatMap(onOtherNode),
    ],
    areTargetsChosen: values.targets !== undefined,
    cases: wantedCases === undefined ? cases : findCases(wantedCases.filter((name) => name !== FOOTPRINT)),
    hasFootprint: wantedCases === undefined || wantedCases.includes(FOOTPRINT),
    rounds: readNumber('--rounds', values.rounds ?? (isQuick ? '2' : '5')),
    measureMs: readNumber('--seconds', values.seconds ?? (isQuick ? '0.6' : '1.5')) * 1000,
    warmMs: isQuick ? 300 : 500,
    writesReport: values.write,
    out: values.out,
    isPinned: !values['no-pin'],
  }
}

/** Bare and herma on another Node; the ratios of the second are to the first. */
function onOtherNode(node: string): Target[] {
  let version: string
  try {
    version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
  } catch (error) {
    throw new Error(`--node ${node}: it does not start: ${(error as Error).message}`, { cause: error })
  }
  const label = `@${version.replace(/^v(\d+)\..*$/, '$1')}`
  const limit = `bare${label}`
  return [
    createBare(limit, node),
    createHerma({ name: `herma${label}`, note: `herma on Node ${version}`, node, limit }),
  ]
}

function findTarget(name: string): Target {
  const found = targets.find((target) => target.name === name)
  if (found) return found
  throw new Error(`There is no target '${name}'. Choose from: ${targets.map((target) => target.name).join(', ')}`)
}

function findCases(parts: string[]): Case[] {
  // Whole words between slashes, so that c1 does not mean c16.
  const matches = (each: Case, part: string) => `/${each.name}/`.includes(`/${part}/`)
  for (const part of parts) {
    if (!cases.some((each) => matches(each, part))) {
      throw new Error(
        `No case is called '${part}' or has it between the slashes of its name. See: npm run bench -- --list`,
      )
    }
  }
  return cases.filter((each) => parts.some((part) => matches(each, part)))
}

function readNumber(option: string, text: string): number {
  const number = Number(text)
  if (number > 0 && number <= 1000) return number
  throw new Error(`${option} must be a number between 0 and 1000, not '${text}'.`)
}
