import { type ConnectorInput, HubError } from '@herma/contract'
import { toConnectorName } from './text/guess-name.ts'
import { splitCommands } from './text/split-commands.ts'

/** A server of a client's configuration, as a connector. */
export interface ClientServer {
  /** The name that the client uses; the connector's may differ where ours are stricter. */
  readonly name: string
  readonly input: ConnectorInput
  /** What could not be taken over, in sentences for a person. */
  readonly remarks: readonly string[]
}

export interface ClientConfig {
  readonly servers: ClientServer[]
  readonly failed: { name: string; reason: string }[]
}

const serverLimit = 500

/**
 * Reads the MCP servers of a client's configuration: Claude Desktop and Code, Cursor, Windsurf, VS Code, Gemini CLI,
 * Codex, Zed, or a bare map of names to servers. A server that cannot be read is listed as failed and does not stop the
 * others.
 */
export function parseClientConfig(value: unknown): ClientConfig {
  const config = readServers(findServers(value))
  if (config.servers.length + config.failed.length === 0)
    throw new HubError('INVALID_REQUEST', 'The configuration names no server.')
  return { ...config, servers: config.servers.map(disableUnfilled) }
}

/** Reads a map of names to servers, as they are in a configuration. */
export function readServers(map: Fields): ClientConfig {
  const entries = Object.entries(map)
  if (entries.length > serverLimit) {
    throw new HubError('INVALID_REQUEST', `The configuration names ${entries.length} servers; ${serverLimit} at most.`)
  }
  const config: ClientConfig = { servers: [], failed: [] }
  for (const [name, entry] of entries) {
    try {
      config.servers.push(readClientServer(name, entry))
    } catch (error) {
      if (!(error instanceof HubError)) throw error
      config.failed.push({ name, reason: error.message })
    }
  }
  return config
}

export type Fields = Record<string, unknown>

/** What stands where clients keep their servers; undefined where there is nothing of the kind. */
export function findServerMap(value: Fields): unknown {
  const mcp = isObject(value['mcp']) ? value['mcp'] : {}
  const { mcpServers, servers, mcp_servers: codex, context_servers: zed } = value
  return [mcpServers, servers, mcp['servers'], mcp['mcpServers'], codex, zed].find((map) => map !== undefined)
}

function findServers(value: unknown): Fields {
  if (!isObject(value)) throw notAConfiguration()
  const map = findServerMap(value) ?? value
  if (!isObject(map)) throw notAConfiguration()
  if (
    map === value &&
    !Object.values(map).every((entry) => isObject(entry) && (hasAddress(entry) || 'command' in entry))
  ) {
    throw notAConfiguration()
  }
  return map
}

function notAConfiguration(): HubError {
  return new HubError(
    'INVALID_REQUEST',
    'This is not the configuration of an MCP client. Expected {"mcpServers": {"name": {"command": …} or {"url": …}}}, ' +
      '{"servers": …}, {"mcp": {"servers": …}} or the inner map alone.',
  )
}

const understood = new Set(
  (
    'type transport command args env cwd url serverUrl httpUrl headers disabled enabled description name source ' +
    'http_headers env_http_headers bearer_token_env_var'
  ).split(' '),
)

/** Reads one server. Values that only the client can fill in stay as they are. */
export function readClientServer(name: string, given: unknown): ClientServer {
  if (!isObject(given)) throw invalid('It must be an object with "command" or "url".')
  const entry = flattenCommand(given)
  const remarks: string[] = []
  const legal = toConnectorName(name)
  if (legal === '') throw invalid('Its name has no letter or digit. Rename it.')
  if (legal !== name) remarks.push(`It is called '${legal}' here.`)
  const base = {
    name: legal,
    description: optionalText(entry, 'description') ?? '',
    enabled: entry['disabled'] !== true && entry['enabled'] !== false,
  }
  const input = hasAddress(entry) ? { ...base, ...readRemote(entry) } : { ...base, ...readProcess(entry) }
  const left = Object.keys(entry).filter((key) => !understood.has(key))
  if (left.length > 0) remarks.push(`Left out, because a connector has no such field: ${left.join(', ')}.`)
  return { name, input, remarks }
}

/** A server that waits for values of its client must not start without them. */
export function disableUnfilled(server: ClientServer): ClientServer {
  const places = findPlaceholders(server.input)
  if (places.length === 0) return server
  const { name } = server.input
  const remark =
    `It is disabled, because only the client can fill in ${places.join(', ')}. ` +
    `Set the values with herma edit ${name}, then: herma enable ${name}`
  return { ...server, input: { ...server.input, enabled: false }, remarks: [...server.remarks, remark] }
}

// Zed wrote the command as an object of its own.
function flattenCommand({ command, ...entry }: Fields): Fields {
  if (!isObject(command)) return command === undefined ? entry : { command, ...entry }
  const { path, ...rest } = command
  return { ...entry, ...rest, command: path }
}

function hasAddress(entry: Fields): boolean {
  return 'url' in entry || 'serverUrl' in entry || 'httpUrl' in entry
}

type Part = Omit<ConnectorInput, 'name' | 'description' | 'enabled'>

function readRemote(entry: Fields): Part {
  const url = optionalText(entry, 'url') ?? optionalText(entry, 'serverUrl') ?? optionalText(entry, 'httpUrl')
  if (url === undefined) throw invalid('"url" must be a text.')
  const headers = [...readNamedValues(entry, 'headers'), ...readCodexHeaders(entry)]
  return { transport: readTransport(entry, url), baseUrl: url, headers }
}

// Codex takes values of headers from its environment, which the hub does not have.
function readCodexHeaders(entry: Fields): { name: string; value: string }[] {
  const bearer = optionalText(entry, 'bearer_token_env_var')
  const fromEnv = readNamedValues(entry, 'env_http_headers')
  return [
    ...readNamedValues(entry, 'http_headers'),
    ...fromEnv.map(({ name, value }) => ({ name, value: `\${${value}}` })),
    ...(bearer === undefined ? [] : [{ name: 'Authorization', value: `Bearer \${${bearer}}` }]),
  ]
}

// What clients call http is Streamable HTTP. Without a type they try that first; an address that ends in /sse says so.
function readTransport(entry: Fields, url: string): 'stream' | 'sse' {
  const type = (optionalText(entry, 'type') ?? optionalText(entry, 'transport'))?.toLowerCase().replaceAll(/[-_]/g, '')
  if (type === undefined) return 'url' in entry && /\/sse\/?$/.test(url) ? 'sse' : 'stream'
  if (type === 'sse') return 'sse'
  if (['http', 'streamablehttp', 'stream'].includes(type)) return 'stream'
  throw invalid(`Its type '${type}' is not known for a URL. Use http or sse.`)
}

function readProcess(entry: Fields): Part {
  const cmd = optionalText(entry, 'command')
  if (cmd === undefined || cmd.trim() === '') throw invalid('It has neither "command" nor "url".')
  const type = optionalText(entry, 'type') ?? optionalText(entry, 'transport') ?? 'stdio'
  if (type !== 'stdio') throw invalid(`Its type is '${type}', but it has a command. Use stdio, or give a "url".`)
  const args = entry['args'] ?? []
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string' || typeof arg === 'number')) {
    throw invalid('"args" must be a list of texts.')
  }
  const workingDir = optionalText(entry, 'cwd')
  const [program, ...first] = splitLine(cmd)
  return {
    transport: 'stdio',
    cmd: program,
    args: [...first, ...args.map(String)],
    env: readNamedValues(entry, 'env'),
    ...(workingDir === undefined ? {} : { workingDir }),
  }
}

// Links that pages have for Cursor give the whole line as the command. A path may have spaces of its own.
function splitLine(command: string): readonly [string, ...string[]] {
  if (!/^[\w.-]+\s/.test(command)) return [command]
  const [only, ...others] = splitCommands(command)
  const [program, ...args] = only?.words ?? []
  return program === undefined || others.length > 0 ? [command] : [program, ...args]
}

function readNamedValues(entry: Fields, key: string): { name: string; value: string }[] {
  const values = entry[key] ?? {}
  if (!isObject(values)) throw invalid(`"${key}" must be an object of names and values.`)
  return Object.entries(values).flatMap(([name, value]) => {
    if (value === null) return []
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw invalid(`"${key}.${name}" must be a text.`)
    }
    return [{ name, value: String(value) }]
  })
}

/** Where a value holds `${…}`, which a client would replace from its own inputs, variables or folders. */
export function findPlaceholders(input: ConnectorInput): string[] {
  const values: [string, string | null | undefined][] = [
    ['the URL', input.baseUrl],
    ['the command', input.cmd],
    ['the working directory', input.workingDir],
    ...(input.args ?? []).map((arg, index): [string, string] => [`argument ${index + 1}`, arg]),
    ...(input.headers ?? []).map(({ name, value }): [string, string | undefined] => [`header ${name}`, value]),
    ...(input.env ?? []).map(({ name, value }): [string, string | undefined] => [`variable ${name}`, value]),
  ]
  return values.filter(([, value]) => placeholder.test(value ?? '')).map(([place]) => place)
}

export const placeholder = /\$\{[^}]+\}/

function optionalText(entry: Fields, key: string): string | undefined {
  const value = entry[key]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw invalid(`"${key}" must be a text.`)
  return value
}

function invalid(reason: string): HubError {
  return new HubError('CONNECTOR_INVALID', reason)
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
