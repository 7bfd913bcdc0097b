import { withCleanup, type Defer } from '../../conformance/runner/cleanup.ts'
import { agentDescriptions } from '../agent/describe-agents.ts'
import { clientDescriptions } from '../client/describe-clients.ts'
import { serverFamilies } from '../server/describe-servers.ts'
import type { LaterAttemptName } from './attempts.ts'
import { agentNames, clientNames, parseOptions, usage, type Options } from './options.ts'
import { printReport } from './print-report.ts'
import { createPrograms } from './programs.ts'
import { countAll, type Findings, type Missing } from './report.ts'
import { endPrograms } from './run-program.ts'
import { startStage } from './start-stage.ts'
import { Trial } from './trial.ts'
import { tryAgent, type TriedAgent } from './try-agent.ts'
import { writePage } from './write-page.ts'

/** Two at a time, as two people would: servers that ask have to find the right one. */
const atOnce = 2

/** The whole command; returns its exit code. */
export async function run(args: string[]): Promise<number> {
  try {
    const options = parseOptions(args)
    if (!options.help) return await tryEverything(options)
    process.stdout.write(usage)
    return 0
  } catch (error) {
    for (let cause = error; cause instanceof Error; cause = cause.cause) process.stderr.write(`${cause.message}\n`)
    return 2
  }
}

async function tryEverything(options: Options): Promise<number> {
  const findings = await withCleanup((defer) => find(options, defer))
  process.stdout.write(`\n${printReport(findings)}`)
  if (options.write) await writePage(findings)
  if (countAll(findings).failed > 0) return 1
  return findings.missing.length > 0 ? 2 : 0
}

async function find({ clients: chosen, quick, source }: Options, defer: Defer): Promise<Findings> {
  defer(async () => endPrograms())
  const isChosen = (name: string) => chosen.includes(name)
  const families = serverFamilies.filter(({ isQuick }) => isQuick || !quick)
  const programs = createPrograms()
  const missing: Missing[] = []
  const get = async <Value>(name: string, work: Promise<Value>): Promise<Value[]> => {
    try {
      return [await work]
    } catch (error) {
      missing.push({ name, reason: reasonOf(error) })
      return []
    }
  }
  const [agents, clients, servers] = await Promise.all([
    Promise.all(agentNames.filter(isChosen).map((name) => get(name, agentDescriptions[name](programs)))),
    Promise.all(clientNames.filter(isChosen).map((name) => get(name, clientDescriptions[name](programs)))),
    Promise.all(families.map(({ title, describe }) => get(title, describe(programs)))),
  ])
  const stage = await startStage({ isSource: source, servers: servers.flat(2), defer })
  say(`The hub serves ${stage.tools.length} tools.`)
  const triedAgents: TriedAgent[] = []
  const trials = clients.flat().flatMap((client) => client.ways.map((way) => new Trial(client, way, stage)))
  await inTurns([
    ...trials.map((trial) => async () => {
      await trial.run()
      tell(`${trial.client.name} ${trial.client.version} ${trial.way.name}`, trial.cells)
    }),
    ...agents.flat().map((agent, index) => async () => {
      const tried = await tryAgent(agent, stage)
      triedAgents[index] = tried
      tell(`${agent.name} ${agent.version}`, tried.cells)
    }),
  ])
  await startAgain('stop', 'goes on after a restart')
  await startAgain('kill', 'goes on after a kill')
  await Promise.all(trials.map((trial) => trial.close()))
  return { agents: triedAgents, trials, servers: servers.flat(2), broken: stage.broken, missing }

  async function startAgain(end: 'stop' | 'kill', name: LaterAttemptName): Promise<void> {
    say(`The hub is started again after a ${end}.`)
    await stage.startHubAgain(end)
    await inTurns(trials.map((trial) => () => trial.goOn(name)))
  }
}

async function inTurns(works: readonly (() => Promise<void>)[]): Promise<void> {
  const waiting = works.values()
  const work = async () => {
    for (const next of waiting) await next()
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

function tell(title: string, cells: readonly { verdict: string }[]): void {
  const failed = cells.filter(({ verdict }) => verdict === 'FAIL').length
  say(`${title}: ${failed === 0 ? 'works' : `${failed} of ${cells.length} failed`}`)
}

function say(text: string): void {
  process.stdout.write(`${process.uptime().toFixed(0).padStart(4)} s  ${text}\n`)
}

function reasonOf(error: unknown): string {
  const reasons: string[] = []
  for (let cause = error; cause instanceof Error; cause = cause.cause) reasons.push(cause.message)
  return reasons.join('\n')
}
