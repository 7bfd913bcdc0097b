import { parseArgs } from 'node:util'
import { isCrossing, legs, type Leg } from './legs.ts'

export type Options = {
  help: boolean
  direct: boolean
  /** The server is one that was made with our framework, and nothing is in front of it. */
  framework: boolean
  source: boolean
  update: boolean
  legs: readonly Leg[]
  scenarios: readonly string[]
}

export const usage = `Usage: npm run conformance -- [options]

Runs the official MCP conformance suite through a Herma hub and compares with baseline.json:
its server scenarios with our conformance server behind the hub, of the same era and of the
other one, and with one on the Python SDK that speaks both, its client scenarios with the
suite's own servers behind the hub, and those for authorization servers with the hub's own.

  --direct         leave the hub out: prove our conformance server and the SDK's client
  --framework      leave the hub out, and prove a server made with @herma/framework
  --source         run the hub from its source instead of its build
  --leg NAME       only this one, repeatable; one of:
                   ${listNames().join('\n                   ')}
  --scenario NAME  only this scenario; repeatable
  --update         record the outcome in baseline.json; failures are never recorded
  --help           this text

Exit code: 0 as good as the baseline, 1 worse, 2 could not run.
`

/** Reads the command line; throws an error that says what is wrong with it. */
export function parseOptions(args: string[]): Options {
  const { help, framework, source, update, leg, scenario, ...values } = readArguments(args)
  const direct = values.direct || framework
  const chosen = chooseLegs(leg, direct)
  const runnable = framework ? chosen.filter((one) => one.side === 'server' && one.sdk === undefined) : chosen
  if (runnable.length === 0) throw new Error('--framework proves a server: leave out the legs of clients.')
  return { help, direct, framework, source, update, legs: runnable, scenarios: scenario }
}

function readArguments(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        help: { type: 'boolean', default: false },
        direct: { type: 'boolean', default: false },
        framework: { type: 'boolean', default: false },
        source: { type: 'boolean', default: false },
        update: { type: 'boolean', default: false },
        leg: { type: 'string', multiple: true, default: [] },
        scenario: { type: 'string', multiple: true, default: [] },
      },
    })
    return values
  } catch (cause) {
    throw new Error('These options are not understood. See: npm run conformance -- --help', { cause })
  }
}

function chooseLegs(names: string[], isDirect: boolean): readonly Leg[] {
  const unknown = names.find((name) => !legs.some((leg) => leg.name === name))
  if (unknown) throw new Error(`--leg ${unknown}: use one of ${legs.map((leg) => leg.name).join(', ')}.`)
  const chosen = names.length === 0 ? legs : legs.filter((leg) => names.includes(leg.name))
  if (!isDirect) return chosen
  const runnable = chosen.filter((leg) => leg.side !== 'authorization' && !isCrossing(leg))
  if (runnable.length === 0) {
    throw new Error(`--direct has no hub, which these need: leave out --direct or --leg ${names.join(', --leg ')}.`)
  }
  return runnable
}

function listNames(): string[] {
  const groups = (['server', 'client', 'authorization'] as const).flatMap((side) =>
    [false, true].map((crosses) => legs.filter((leg) => leg.side === side && isCrossing(leg) === crosses)),
  )
  return groups.filter((group) => group.length > 0).map((group) => group.map((leg) => leg.name).join(', '))
}
