import { type ConnectorDraft, findSecrets, HubError, type PasteReport } from '@herma/contract'
import { findServerMap, isObject, readClientServer, readServers, type Fields } from '../client-config.ts'
import { isToml, parseClientText } from '../parse-client-text.ts'
import { guessNameOf, guessNameOfUrl } from '../text/guess-name.ts'
import { isEnvFile, readEnvFile } from './read-env-file.ts'
import { readCommand } from './read-command.ts'
import { isInstallLink, readInstallLink } from './read-link.ts'
import { readAddress } from './read-program.ts'
import { splitCommands } from '../text/split-commands.ts'
import { readInputs, toDraft, type ReadDraft } from './to-draft.ts'

/**
 * Finds the servers in whatever somebody pasted: configurations of clients, commands, addresses, install links, or a .env
 * file, which is no server but fills one. Nothing is stored, run or reached.
 */
export function parsePaste(text: string): PasteReport {
  const read = readPaste(text)
  return { ...read, warnings: read.connectors.flatMap(warnOfSecrets) }
}

type ReadPaste = Omit<PasteReport, 'warnings'>

function warnOfSecrets(draft: ConnectorDraft): PasteReport['warnings'] {
  const found = findSecrets(draft).filter(({ isSealed }) => !isSealed)
  const labels = [...new Set(found.map(({ label }) => label))]
  return labels.map((label) => ({
    name: draft.name,
    text: `${label}: this looks like a secret in clear. Store it by name.`,
  }))
}

function readPaste(text: string): ReadPaste {
  const plain = withoutFence(text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')).trim()
  if (plain === '') throw new HubError('PARSE_ERROR', `There is no text. ${expected}`)
  if (isInstallLink(plain)) return report('link', readInstallLink(plain))
  if (isToml(plain)) return readConfig('toml', plain)
  if (/^(?:\s|\/\/[^\n]*\n|\/\*[^]*?\*\/)*[{[]/.test(plain)) return readConfig('json', plain)
  // A piece out of the middle of a file.
  if (/^"[^"\n]+"\s*:\s*\{/.test(plain)) return readConfig('json', `{${plain.replace(/,\s*$/, '')}}`)
  if (/^https?:\/\/\S+$/i.test(plain)) return report('url', [readAddress(toUrl(plain))])
  if (isEnvFile(plain)) return { kind: 'env', connectors: [], env: readEnvFile(plain), notes: [] }
  return readCommands(plain)
}

const expected =
  "Paste a client's JSON or TOML, a command such as npx …, a curl command, an address, an install link or a .env file."

function report(kind: PasteReport['kind'], drafts: readonly ReadDraft[]): ReadPaste {
  return {
    kind,
    connectors: drafts.map(({ draft }) => draft),
    env: [],
    notes: [...new Set(drafts.flatMap(({ notes }) => notes))],
  }
}

function readCommands(text: string): ReadPaste {
  const commands = splitCommands(text)
  const drafts = commands.flatMap(readCommand)
  if (drafts.length === 0) throw new HubError('PARSE_ERROR', `Line 1: no server was found. ${expected}`)
  if (drafts.length > maxDrafts)
    throw new HubError('PARSE_ERROR', `There are more than ${maxDrafts} commands. Paste fewer.`)
  const isProse = drafts.some(({ draft }) => draft.cmd !== undefined && /[.,!?]$|^[A-Z][a-z]+$/.test(draft.cmd))
  if (isProse)
    throw new HubError('PARSE_ERROR', `Line ${commands[0]!.line}: this does not look like a command. ${expected}`)
  return report(
    /^curl\b/m.test(text) && drafts.every(({ draft }) => draft.cmd === undefined) ? 'curl' : 'command',
    drafts,
  )
}

const maxDrafts = 500

function readConfig(kind: 'json' | 'toml', text: string): ReadPaste {
  const value = parseClientText(text, 'The text')
  if (!isObject(value)) throw notAConfiguration()
  const inputs = readInputs(value['inputs'])
  const map = findServerMap(value)
  if (map === undefined && isServer(value)) return report(kind, [toDraft(readBare(value), inputs)])
  const servers = map ?? value
  if (!isObject(servers) || !Object.values(servers).every(isObject)) throw notAConfiguration()
  if (map === undefined && !Object.values(servers).every((entry) => isServer(entry as Fields)))
    throw notAConfiguration()
  const read = readServers(servers)
  if (read.servers.length === 0 && read.failed.length === 0)
    throw new HubError('PARSE_ERROR', 'The text names no server. Expected at least one name with "command" or "url".')
  const { connectors, notes } = report(
    kind,
    read.servers.map((server) => toDraft(server, inputs)),
  )
  const failures = read.failed.map(({ name, reason }) => `${name} was left out. ${reason}`)
  return { kind, connectors, env: [], notes: [...notes, ...failures] }
}

function isServer(value: Fields): boolean {
  return ['command', 'url', 'serverUrl', 'httpUrl'].some((field) => field in value)
}

/** One server without a name around it. */
function readBare(value: Fields) {
  const { name, command, url, serverUrl, httpUrl, args } = value
  if (typeof name === 'string' && name !== '') return readClientServer(name, value)
  const address = [url, serverUrl, httpUrl].find((each) => typeof each === 'string' && URL.canParse(each))
  if (typeof address === 'string') return readClientServer(guessNameOfUrl(new URL(address)), value)
  const words = Array.isArray(args) ? args.filter((arg) => typeof arg === 'string' && !arg.startsWith('-')) : []
  const runner = typeof command === 'string' ? command : 'server'
  const isRunner = /(?:^|\/)(?:npx|uvx|node|bunx|python3?|docker)$/.test(runner)
  return readClientServer(guessNameOf(isRunner && words[0] !== undefined ? String(words[0]) : runner), value)
}

function notAConfiguration(): HubError {
  return new HubError(
    'PARSE_ERROR',
    'The text is JSON or TOML, but no configuration of an MCP client. Expected {"mcpServers": {"name": {"command": …}}}, ' +
      '{"servers": …}, {"context_servers": …}, [mcp_servers.NAME], or one server with "command" or "url".',
  )
}

function toUrl(text: string): URL {
  if (URL.canParse(text)) return new URL(text)
  throw new HubError('PARSE_ERROR', 'Line 1: this is no address. Expected for example https://mcp.example.com/mcp.')
}

/** Text that was copied with the fence of a Markdown block. */
function withoutFence(text: string): string {
  return /^\s*```[^\n]*\n([^]*?)\n?\s*```\s*$/.exec(text)?.[1] ?? text
}
