import {
  ConnectorInput,
  ConnectorPatch,
  HubError,
  type Connector,
  type ConnectorOAuth,
  type NamedValue,
  type SecretLookup,
} from '@herma/contract'
import type { z } from 'zod'
import { isSecretName } from '../../../secret/index.ts'
import { resolveSecrets } from '../secret-reference.ts'

/** A new connector from what a person or program sent. */
export function readConnector(input: ConnectorInput): Connector {
  const connector = withSecretFlags(parse(ConnectorInput, input))
  requireSecretValues(connector)
  return connector
}

function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const first = result.error.issues[0]!
  throw new HubError('CONNECTOR_INVALID', `${first.path.join('.') || 'connector'}: ${first.message}`, {
    cause: result.error,
  })
}

function withSecretFlags(connector: Connector): Connector {
  const flag = (entry: NamedValue) => ({ ...entry, secret: entry.secret ?? isSecretName(entry.name) })
  return { ...connector, headers: connector.headers.map(flag), env: connector.env.map(flag) }
}

function requireSecretValues(connector: Connector): void {
  const missing = [...connector.headers, ...connector.env].find(
    ({ value, personal }) => value === undefined && personal !== true,
  )
  if (missing !== undefined)
    throw new HubError('CONNECTOR_INVALID', `'${missing.name}' has no value and none is stored.`)
}

/** The connector as it is after a change. */
export function changeConnector(before: Connector, given: ConnectorPatch): Connector {
  const patch = parse(ConnectorPatch, given)
  const merged: Record<string, unknown> = { ...before }
  for (const [field, value] of Object.entries(patch)) {
    if (value !== undefined) merged[field] = value === null ? undefined : value
  }
  merged['options'] = { ...before.options, ...patch.options }
  if (patch.headers !== undefined) merged['headers'] = keepStored(before.headers, patch.headers)
  if (patch.oauth) merged['oauth'] = changeOAuth(before.oauth, patch.oauth)
  if (patch.env !== undefined) merged['env'] = keepStored(before.env, patch.env)
  const connector = withSecretFlags(parse(ConnectorInput, merged))
  requireSecretValues(connector)
  return connector
}

/** An entry that comes without a value keeps the one that is stored under its name. */
function keepStored(before: readonly NamedValue[], after: readonly NamedValue[]): NamedValue[] {
  return after.map((entry) => {
    if (entry.value !== undefined || entry.personal === true) return entry
    const stored = before.find((candidate) => candidate.name.toLowerCase() === entry.name.toLowerCase())
    // A stored secret stays one: otherwise it could be read by declaring it open.
    const secret = stored?.secret === true || (entry.secret ?? stored?.secret)
    return { ...entry, value: stored?.value, secret }
  })
}

/** Null clears a field; a secret that is not mentioned stays, unless it belongs to another client now. */
function changeOAuth(before: ConnectorOAuth | undefined, changes: NonNullable<ConnectorPatch['oauth']>) {
  const isOtherClient = changes.clientId !== undefined && changes.clientId !== before?.clientId
  const kept = isOtherClient ? { ...before, clientSecret: undefined, privateKey: undefined } : before
  const fields = Object.entries({ ...kept, ...changes })
  return Object.fromEntries(fields.filter(([, value]) => value !== null && value !== undefined))
}

const wordFields = new Set(['name', 'description', 'notes', 'kind'])
/** Options that only say how the connector is shown. */
const wordOptions = ['prefix', 'listed']

/** True when a running downstream can stay as it is. */
export function isSameDownstream(before: Connector, after: Connector): boolean {
  return (
    before.name === after.name &&
    fingerprint(before, wordFields, wordOptions) === fingerprint(after, wordFields, wordOptions)
  )
}

/** True when the server behind is the same, so that its descriptors still hold until they are read again. */
export function keepsServer(before: Connector, after: Connector): boolean {
  const ignored = new Set([...wordFields, 'enabled', 'options', 'headers', 'env', 'oauth'])
  return fingerprint(before, ignored, []) === fingerprint(after, ignored, [])
}

/** True when what the hub was granted by the server still holds: another server must not see it. */
export function isSameClient(before: Connector, after: Connector): boolean {
  return keepsServer(before, after) && JSON.stringify(before.oauth) === JSON.stringify(after.oauth)
}

function fingerprint(connector: Connector, ignored: ReadonlySet<string>, ignoredOptions: readonly string[]): string {
  const fields = Object.entries(connector).filter(([field]) => !ignored.has(field))
  const plain = fields.map(([field, value]) => {
    if (field !== 'options') return [field, value]
    return [
      field,
      Object.entries(value as object)
        .filter(([name]) => !ignoredOptions.includes(name))
        .toSorted(),
    ]
  })
  return JSON.stringify(plain.toSorted((a, b) => String(a[0]).localeCompare(String(b[0]))))
}

/** Every value of a connector that nobody may read, as its server gets it. */
export function secretValues(connector: Connector, secretOf?: SecretLookup): string[] {
  const named = [...connector.headers, ...connector.env].flatMap(({ secret, value }) =>
    secret && value !== undefined ? resolveSecrets(value, secretOf) : [],
  )
  const { clientSecret, privateKey } = connector.oauth ?? {}
  return [...named, ...[clientSecret, privateKey].filter((value) => value !== undefined)]
}
