import { isAbsolute } from 'node:path'
import { HubError, type ConnectorOptions, type ConnectorView } from '@herma/contract'
import type { Overrides } from './store.ts'

/** Options that speak of the link to a server; the others are about what everybody sees of it. */
const linkOptions: ReadonlySet<keyof ConnectorOptions> = new Set([
  'era',
  'isolation',
  'handshakeTimeoutMs',
  'requestTimeoutMs',
  'maxRequestMs',
  'idleTimeoutMs',
  'maxRestarts',
  'maxConcurrency',
  'maxMessageBytes',
])

/** Throws BINDING_INVALID, naming the field, for overrides that this connector has no use for. */
export function checkBinding(overrides: Overrides, connector: Pick<ConnectorView, 'name' | 'transport'>): void {
  const problem = findProblem(overrides, connector)
  if (problem !== null) throw new HubError('BINDING_INVALID', problem)
}

function findProblem(
  { headers, env, options, cwd }: Overrides,
  { name, transport }: Pick<ConnectorView, 'name' | 'transport'>,
): string | null {
  const isProcess = transport === 'stdio'
  if (isProcess && headers.length > 0) return `headers: '${name}' is a command and gets none. Use env.`
  if (!isProcess && env.length > 0) return `env: '${name}' is reached over HTTP and has no variables. Use headers.`
  if (!isProcess && cwd !== null) return `cwd: '${name}' is reached over HTTP and has no working directory.`
  if (cwd !== null && !isAbsolute(cwd) && !cwd.startsWith('{cwd}'))
    return `cwd: '${cwd}' is relative. Make it absolute, or begin it with {cwd}.`
  for (const [field, values] of Object.entries({ headers, env })) {
    const names = values.map((each) => (field === 'headers' ? each.name.toLowerCase() : each.name))
    const twice = names.find((each, index) => names.indexOf(each) < index)
    if (twice !== undefined) return `${field}: '${twice}' is there twice.`
    const personal = values.find((each) => each.personal === true)
    if (personal !== undefined)
      return `${field}.${personal.name}: A value of a binding is the session's. Mark it as personal in the connector.`
    const missing = values.find(({ value }) => value === undefined)
    if (missing !== undefined) return `${field}.${missing.name}: It has no value and none is stored.`
  }
  const foreign = Object.keys(options).find((option) => !linkOptions.has(option as keyof ConnectorOptions))
  if (foreign === undefined) return null
  return `options.${foreign}: This holds for everybody. Change it in the connector: herma edit ${name}`
}
