import { isDeepStrictEqual } from 'node:util'
import type { ConnectorView } from '@herma/contract'
import type { HostPolicy } from '../../platform/process/host-policy.ts'
import type { Overrides } from './store.ts'

type Command = Pick<ConnectorView, 'name' | 'transport' | 'cmd' | 'args'>

/** Throws OWNER_ONLY when who is acting may not choose the variables and the folder of a command. */
export function requireHostOverrides(
  policy: HostPolicy | undefined,
  connector: Command,
  { after, before }: { after: Overrides; before: Overrides | undefined },
): void {
  if (policy === undefined || connector.transport !== 'stdio') return
  if (isDeepStrictEqual(whatRuns(after), whatRuns(before))) return
  const { env, cwd } = after
  // Without either it is the command of the connector, which was allowed with that.
  if (env.length === 0 && cwd === null) return
  policy.requireCommand(`The binding of '${connector.name}'`, {
    command: connector.cmd ?? '',
    args: connector.args,
    env: env.map(({ name }) => name),
    folder: cwd,
  })
}

function whatRuns(overrides: Overrides | undefined): unknown {
  const { env = [], cwd = null } = overrides ?? {}
  return { cwd, env: env.map(({ name, value }) => ({ name, value })) }
}
