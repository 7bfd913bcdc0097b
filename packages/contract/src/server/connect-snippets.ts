/** How one client is pointed at the hub: a command to run, or text for its configuration. */
export interface ConnectSnippet {
  readonly client: 'claude-code' | 'claude-desktop' | 'codex' | 'cursor' | 'vscode' | 'chatgpt' | 'json'
  readonly title: string
  /** Where the text belongs; absent when it is a command. */
  readonly file?: string
  readonly text: string
  /** It reaches public addresses only, and this is none. */
  readonly needsPublicUrl?: true
  /** What else a person has to know. */
  readonly note?: string
}

export interface SnippetOptions {
  /** The header in which the server wants a key; absent = it wants none. */
  readonly keyHeader?: string | undefined
}

const placeholder = '<your key>'

/** What to type or paste so that a client uses the server at this endpoint, under a name of letters, digits and "-". */
export function connectSnippets(
  endpoint: string,
  name = 'herma',
  { keyHeader }: SnippetOptions = {},
): ConnectSnippet[] {
  const header = keyHeader === undefined ? null : toHeader(keyHeader)
  const headers = header === null ? {} : { headers: { [header.name]: header.value } }
  return [
    {
      client: 'claude-code',
      title: 'Claude Code',
      text: `claude mcp add --transport http ${name} ${endpoint}${header === null ? '' : ` --header "${header.name}: ${header.value}"`}`,
    },
    {
      client: 'claude-desktop',
      title: 'Claude Desktop',
      file: 'claude_desktop_config.json',
      text: serverJson(name, bridgeTo(endpoint, header !== null)),
      note: 'It launches its servers, so that herma has to be on its PATH; otherwise write the full path of the command.',
    },
    {
      client: 'codex',
      title: 'Codex',
      file: '~/.codex/config.toml',
      text: [
        `[mcp_servers.${name}]`,
        `url = ${JSON.stringify(endpoint)}`,
        ...(header === null
          ? []
          : [`http_headers = { ${JSON.stringify(header.name)} = ${JSON.stringify(header.value)} }`]),
      ].join('\n'),
    },
    {
      client: 'cursor',
      title: 'Cursor',
      file: '~/.cursor/mcp.json',
      text: serverJson(name, { url: endpoint, ...headers }),
    },
    {
      client: 'vscode',
      title: 'VS Code',
      text: `code --add-mcp '${JSON.stringify({ name, type: 'http', url: endpoint, ...headers })}'`,
    },
    {
      client: 'chatgpt',
      title: 'ChatGPT',
      file: 'Settings → Connectors → Create of ChatGPT',
      text: endpoint,
      ...(isPublic(endpoint)
        ? { note: 'It signs in as a user of this hub: herma user add NAME' }
        : {
            needsPublicUrl: true,
            note: 'It only reaches public addresses. Give the hub one first: herma access --public-url https://…',
          }),
    },
    {
      client: 'json',
      title: 'Plain JSON',
      file: 'the configuration of another client',
      text: serverJson(name, { type: 'http', url: endpoint, ...headers }),
    },
  ]
}

function serverJson(name: string, server: object): string {
  return JSON.stringify({ mcpServers: { [name]: server } })
}

function toHeader(keyHeader: string): { name: string; value: string } {
  return keyHeader.toLowerCase() === 'authorization'
    ? { name: 'Authorization', value: `Bearer ${placeholder}` }
    : { name: keyHeader, value: placeholder }
}

/** The command that is the same server on standard input and output. A hub of this machine needs no key for it. */
function bridgeTo(endpoint: string, wantsKey: boolean): { command: string; args: string[] } {
  const url = new URL(endpoint)
  const [, kind, name] = /^\/api\/mcp\/(servers|sessions)\/([^/]+)\//.exec(url.pathname) ?? []
  const server = name === undefined ? [] : ['--server', kind === 'sessions' ? `session:${name}` : name]
  const elsewhere = isLoopback(url) ? [] : ['--hub', url.origin]
  const key = elsewhere.length > 0 && wantsKey ? ['--token-file', '<file with your key>'] : []
  return { command: 'herma', args: ['stdio', ...server, ...elsewhere, ...key] }
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}

function isPublic(endpoint: string): boolean {
  const url = new URL(endpoint)
  return url.protocol === 'https:' && !isLoopback(url)
}
