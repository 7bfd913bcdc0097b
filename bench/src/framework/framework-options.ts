import { parseArgs } from 'node:util'
import type { Contender } from './contender.ts'
import { contenders } from './contenders.ts'

export const parts = ['load', 'start', 'hello', 'memory', 'install', 'features'] as const
export type Part = (typeof parts)[number]

export interface FrameworkOptions {
  contenders: Contender[]
  parts: Part[]
  /** Rounds of the load; each gives every contender one turn in every case. */
  rounds: number
  /** Cold starts of each contender. */
  starts: number
  warmMs: number
  measureMs: number
  writesReports: boolean
}

export const FRAMEWORK_HELP = `npm run bench -- framework [options]

  --contenders a,b    ${contenders.map(({ name }) => name).join(', ')}
  --parts a,b         ${parts.join(', ')}
  --rounds N          rounds of the load (5)
  --starts N          cold starts of each (15)
  --seconds S         measured time of one turn (1.5)
  --write             render bench/FRAMEWORK.md and docs/comparison.md; needs all contenders and all parts
`

/** Reads the command line of the framework bench; throws an error that a person can act on. */
export function parseFrameworkOptions(args: string[]): FrameworkOptions | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      contenders: { type: 'string' },
      parts: { type: 'string' },
      rounds: { type: 'string', default: '5' },
      starts: { type: 'string', default: '15' },
      seconds: { type: 'string', default: '1.5' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const names = contenders.map(({ name }) => name)
  const chosen = values.contenders?.split(',') ?? names
  const wanted = values.parts?.split(',') ?? [...parts]
  checkNames('--contenders', chosen, names)
  checkNames('--parts', wanted, parts)
  if (values.write && (chosen.length < names.length || wanted.length < parts.length)) {
    throw new Error(
      '--write needs every contender and every part, or the pages would have holes. Leave the others out.',
    )
  }
  const measureMs = readCount('--seconds', values.seconds) * 1000
  return {
    contenders: contenders.filter(({ name }) => chosen.includes(name)),
    parts: parts.filter((part) => wanted.includes(part)),
    rounds: Math.ceil(readCount('--rounds', values.rounds)),
    starts: Math.ceil(readCount('--starts', values.starts)),
    warmMs: measureMs,
    measureMs,
    writesReports: values.write,
  }
}

function checkNames(option: string, given: string[], known: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`${option} does not know '${unknown}'. Choose from: ${known.join(', ')}`)
}

function readCount(option: string, text: string): number {
  const number = Number(text)
  if (number > 0 && number <= 1000) return number
  throw new Error(`${option} must be a number between 0 and 1000, not '${text}'.`)
}
