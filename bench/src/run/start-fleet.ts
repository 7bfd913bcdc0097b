import type { Setup } from '../cases.ts'
import type { Endpoint } from '../client/mcp-client.ts'
import { onOtherCores } from '../machine/cores.ts'
import { startProcess } from '../machine/start-process.ts'
import { programPath } from '../paths.ts'
import { httpEndpoint, type Fleet } from '../target/target.ts'

export interface StartedFleet extends Fleet {
  stop(): Promise<void>
}

/** Starts the test servers of a setup: all HTTP ones in one process; stdio ones are started by whoever uses them. */
export async function startFleet({
  transport,
  connectors,
  toolsEach,
  hasWhole,
  era,
  streams,
}: Setup): Promise<StartedFleet> {
  const named = (endpoints: Endpoint[]) => endpoints.map((endpoint, index) => ({ name: `d${index}`, endpoint }))
  const program = programPath('bench-downstream')
  if (transport === 'stdio') {
    const how = onOtherCores({ command: process.execPath, args: [program, '--stdio', String(toolsEach)] })
    const endpoint: Endpoint = { kind: 'stdio', ...how }
    return {
      connectors: named(Array.from({ length: connectors }, () => endpoint)),
      toolsEach,
      stop: () => Promise.resolve(),
    }
  }
  const counts = Array.from({ length: connectors }, () => toolsEach)
  if (hasWhole) counts.push(connectors * toolsEach)
  const started = startProcess({
    name: 'bench-downstream',
    command: process.execPath,
    args: [
      program,
      '--http',
      counts.join(','),
      ...(era === null ? [] : ['--era', era]),
      ...(streams ? ['--streams'] : []),
    ],
  })
  const urls = JSON.parse(await Promise.race([started.firstLine, started.failed])) as string[]
  const endpoints = urls.map((url) => httpEndpoint(url))
  const whole = hasWhole ? endpoints.pop() : undefined
  return { connectors: named(endpoints), whole, toolsEach, era, stop: started.stop }
}
