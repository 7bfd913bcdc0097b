import type { ConnectorPatch, NamedValue, NamedValueView, SecretPlaces } from '@herma/contract'
import { Command } from 'commander'

import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import {
  addConnectorFlags,
  collect,
  type ConnectorFlags,
  readConnectorFlags,
  readPlace,
} from '../../flag/connector-flags.ts'
import { addStoreSecretsFlag, decideStoring, describeStoring } from '../../flag/store-secrets.ts'
import { addIsolationFlags, type IsolationFlags, readIsolation } from '../../flag/isolation-flags.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { jsonInput, type JsonOption, parseJsonObject } from '../../flag/json-option.ts'
import type { HubClient } from '../../hub/hub-client.ts'
import { describeConnector } from './connector.ts'

interface Flags extends ConnectorFlags, IsolationFlags {
  json?: JsonOption
  name?: string
  removeHeader?: string[]
  removeEnv?: string[]
  storeSecrets?: boolean
}

const inputLimitBytes = 1_000_000

export function editCommand(cli: Cli): Command {
  return addStoreSecretsFlag(addIsolationFlags(addConnectorFlags(new Command('edit'))))
    .description('change a connector; it takes effect at once')
    .usage('NAME [URL] [options]\n       herma edit NAME [options] -- CMD ARGS…\n       herma edit NAME --json PATCH|-')
    .argument('<name>', 'name of the connector')
    .argument('[url]', 'new address of its MCP endpoint')
    .option('--name <name>', 'new name')
    .option('--remove-header <name>', 'remove a header', collect)
    .option('--remove-env <name>', 'remove an environment variable', collect)
    .addOption(jsonInput('PATCH'))
    .addHelpText(
      'after',
      `
Examples:
  herma edit docs --header Authorization=@token.txt
  herma edit files --option start=boot --prefix none
  herma edit docs --store-secrets
  herma edit docs --json '{"description": "Company documents"}'`,
    )
    .action(async (name: string, url: string | undefined, flags: Flags) => {
      const hub = await connectHub(cli)
      const patch = { ...(await readPatch(cli, hub, { name, url, flags })), ...(await readJson(cli, flags.json)) }
      if (Object.keys(patch).length === 0 && flags.storeSecrets !== true) {
        throw new CliError(exitCodes.usage, 'Nothing to change. See: herma edit --help')
      }
      const storeSecrets = await decideStoring(cli, [placesOf(name, patch)], flags.storeSecrets)
      const query = storeSecrets ? ({ storeSecrets: 'true' } as const) : {}
      const connector = await hub.api.updateConnector({ name, body: patch, ...query })
      const done = [`Changed '${connector.name}'.`, describeStoring(connector.storedSecrets)].filter(Boolean)
      cli.terminal.answer(connector, () => `${done.join(' ')}\n\n${describeConnector(connector)}`)
    })
}

/** The parts of a change in which secrets may stand. */
function placesOf(name: string, { baseUrl, endpointPath, args, headers, env }: ConnectorPatch): SecretPlaces {
  return { name, baseUrl, endpointPath, args, headers, env }
}

async function readPatch(
  cli: Cli,
  hub: HubClient,
  { name, url, flags }: { name: string; url: string | undefined; flags: Flags },
): Promise<ConnectorPatch> {
  const place = readPlace(url, cli.trailing)
  const { fields, headers, env } = await readConnectorFlags(flags, cli.terminal)
  const patch: ConnectorPatch = {
    ...clearOther(place),
    ...place,
    ...fields,
    ...(flags.name === undefined ? {} : { name: flags.name }),
    ...(await readIsolationChange(hub, name, flags)),
  }
  const { removeHeader = [], removeEnv = [] } = flags
  if (headers.length + env.length + removeHeader.length + removeEnv.length === 0) return patch
  // A list is replaced as a whole, so what is to stay is sent along; a stored secret stays without its value.
  const stored = await hub.api.getConnector({ name })
  const sameHeader = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()
  return {
    ...patch,
    headers: mergeNamedValues(stored.headers, headers, removeHeader, sameHeader),
    env: mergeNamedValues(stored.env, env, removeEnv, (a, b) => a === b),
  }
}

/** What a container may touch is one setting: what is not said stays. */
async function readIsolationChange(hub: HubClient, name: string, flags: IsolationFlags): Promise<ConnectorPatch> {
  if (readIsolation(flags) === undefined) return {}
  const { isolation } = await hub.api.getConnector({ name })
  return { isolation: readIsolation(flags, isolation) }
}

function clearOther({ transport }: ConnectorPatch): ConnectorPatch {
  if (transport === undefined) return {}
  return transport === 'stdio'
    ? { baseUrl: null, endpointPath: null }
    : { cmd: null, args: [], workingDir: null, isolation: null, endpointPath: null }
}

type IsSame = (a: string, b: string) => boolean

/** A list as it is after a change; stored secrets stay without their values. */
export function mergeNamedValues(
  stored: NamedValueView[],
  given: NamedValue[],
  removed: string[],
  isSame: IsSame,
): NamedValue[] {
  const replaced = [...given.map(({ name }) => name), ...removed]
  const kept = stored.filter(({ name }) => !replaced.some((other) => isSame(name, other)))
  return [
    ...kept.map(({ name, value, secret, personal }) => ({
      name,
      secret,
      ...(personal === true && { personal }),
      ...(secret || value === undefined ? {} : { value }),
    })),
    ...given,
  ]
}

async function readJson(cli: Cli, json: JsonOption | undefined): Promise<ConnectorPatch> {
  if (json?.text === undefined) return {}
  const text = json.text === '-' ? await cli.terminal.readInput(inputLimitBytes) : json.text
  return parseJsonObject(text, 'The patch of --json')
}
