import { withCleanup } from '../../conformance/runner/cleanup.ts'
import { describeClients } from '../client/describe-clients.ts'
import type { InteropClient } from './client.ts'
import { installClients } from './install-clients.ts'
import { clientNames, parseOptions, usage, type Options } from './options.ts'
import { printFailures, printReasons } from './print-report.ts'
import { printTable } from './print-table.ts'
import { endPrograms } from './run-program.ts'
import { startStage, type Stage } from './start-stage.ts'
import { tryWay, type TriedWay } from './try-way.ts'

/** The whole command; returns its exit code. */
export async function run(args: string[]): Promise<number> {
  try {
    const options = parseOptions(args)
    if (!options.help) return await tryClients(options)
    process.stdout.write(usage)
    return 0
  } catch (error) {
    for (let cause = error; cause instanceof Error; cause = cause.cause) process.stderr.write(`${cause.message}\n`)
    return 2
  }
}

async function tryClients({ clients: chosen, source }: Options): Promise<number> {
  const names = clientNames.filter((name) => chosen.length === 0 || chosen.includes(name))
  const tried = await withCleanup(async (defer) => {
    defer(async () => endPrograms())
    const programs = await installClients({
      withPython: names.some((name) => ['python-sdk', 'fastmcp'].includes(name)),
    })
    const clients = await describeClients(names, programs)
    const stage = await startStage(source, defer)
    return { clients, ways: await tryAll(clients, stage) }
  })
  const failures = printFailures(tried.ways)
  process.stdout.write(`\n${printTable(tried.ways)}\n${printReasons(tried.clients)}\n${failures}`)
  process.stdout.write(failures === '' ? 'Every client works.\n' : 'Not every client works.\n')
  return failures === '' ? 0 : 1
}

/** Two at a time, as two people would: servers that ask have to find the right one. */
async function tryAll(clients: readonly InteropClient[], stage: Stage): Promise<TriedWay[]> {
  const waiting = clients.flatMap((client) => client.ways.map((way) => ({ client, way }))).entries()
  const tried: TriedWay[] = []
  const work = async () => {
    for (const [index, { client, way }] of waiting) {
      const outcome = await tryWay(client, way, stage)
      tried[index] = outcome
      const verdict = outcome.failures.length === 0 ? 'works' : `${outcome.failures.length} failed`
      process.stdout.write(`${client.name} ${client.version} (${way.name}): ${verdict}\n`)
    }
  }
  await Promise.all([work(), work()])
  return tried
}
