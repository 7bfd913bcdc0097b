import { parseArgs } from 'node:util'
import { legs, type Era, type Leg } from './legs.ts'

export type Options = {
  help: boolean
  direct: boolean
  source: boolean
  update: boolean
  behind: Era | undefined
  legs: readonly Leg[]
  scenarios: readonly string[]
}

export const usage = `Usage: npm run conformance -- [options]

Runs the server scenarios of the official MCP conformance suite through a Herma hub
that stands in front of our conformance server, and compares with baseline.json.

  --direct               leave the hub out: prove the conformance server itself
  --source               run the hub from its source instead of its build
  --behind legacy|modern era of the server behind the hub (default: the era of the revision)
  --revision NAME        only this one of: ${legs.map((leg) => leg.name).join(', ')}; repeatable
  --scenario NAME        only this scenario; repeatable
  --update               record the outcome in baseline.json
  --help                 this text

Exit code: 0 as good as the baseline, 1 worse, 2 could not run.
`

/** Reads the command line; throws an error that says what is wrong with it. */
export function parseOptions(args: string[]): Options {
  const { help, direct, source, update, behind, revision, scenario } = readArguments(args)
  if (behind !== undefined && behind !== 'legacy' && behind !== 'modern') {
    throw new Error(`--behind ${behind}: use legacy or modern.`)
  }
  if (behind && direct) throw new Error('--direct has no hub to stand behind: leave out --behind or --direct.')
  return { help, direct, source, update, behind, legs: chooseLegs(revision), scenarios: scenario }
}

function readArguments(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        help: { type: 'boolean', default: false },
        direct: { type: 'boolean', default: false },
        source: { type: 'boolean', default: false },
        update: { type: 'boolean', default: false },
        behind: { type: 'string' },
        revision: { type: 'string', multiple: true, default: [] },
        scenario: { type: 'string', multiple: true, default: [] },
      },
    })
    return values
  } catch (cause) {
    throw new Error('These options are not understood. See: npm run conformance -- --help', { cause })
  }
}

function chooseLegs(names: string[]): readonly Leg[] {
  const unknown = names.find((name) => !legs.some((leg) => leg.name === name))
  if (unknown) throw new Error(`--revision ${unknown}: use one of ${legs.map((leg) => leg.name).join(', ')}.`)
  return names.length === 0 ? legs : legs.filter((leg) => names.includes(leg.name))
}
