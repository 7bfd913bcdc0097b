import { basename } from 'node:path'
import type { ConnectorInput, ConnectorView } from '@herma/contract'

/** Whether a connector leads to the same server: the same command, or the same address. Words and secrets do not count. */
export function isSameServer(input: ConnectorInput, connector: ConnectorView): boolean {
  if (input.transport === 'stdio' || connector.transport === 'stdio') {
    return input.transport === connector.transport && commandOf(input) === commandOf(connector)
  }
  return addressOf(input) === addressOf(connector)
}

interface Command {
  readonly cmd?: string | null | undefined
  readonly args?: readonly string[] | undefined
  readonly workingDir?: string | null | undefined
}

function commandOf({ cmd, args = [], workingDir }: Command): string {
  // Whether npx asks before it installs makes no other server.
  const words = basename(cmd ?? '') === 'npx' ? args.filter((word) => word !== '-y' && word !== '--yes') : args
  return JSON.stringify([cmd, words, workingDir ?? null])
}

function addressOf({
  baseUrl,
  endpointPath,
}: {
  baseUrl?: string | null | undefined
  endpointPath?: string | null | undefined
}): string {
  const whole = `${(baseUrl ?? '').replace(/\/$/, '')}${endpointPath ?? ''}`
  return URL.canParse(whole) ? new URL(whole).href.replace(/\/$/, '') : whole
}
