/** How one client is pointed at the hub: a command to run, or text for its configuration file. */
export interface ConnectSnippet {
  readonly client: 'claude-code' | 'codex' | 'cursor' | 'vscode'
  readonly title: string
  /** Absent when the text is a command. */
  readonly file?: string
  readonly text: string
}

/** What to type or paste so that a client uses the server at this endpoint, under a name of letters, digits and "-". */
export function connectSnippets(endpoint: string, name = 'herma'): ConnectSnippet[] {
  return [
    { client: 'claude-code', title: 'Claude Code', text: `claude mcp add --transport http ${name} ${endpoint}` },
    {
      client: 'codex',
      title: 'Codex',
      file: '~/.codex/config.toml',
      text: `[mcp_servers.${name}]\nurl = ${JSON.stringify(endpoint)}`,
    },
    {
      client: 'cursor',
      title: 'Cursor',
      file: '~/.cursor/mcp.json',
      text: JSON.stringify({ mcpServers: { [name]: { url: endpoint } } }),
    },
    {
      client: 'vscode',
      title: 'VS Code',
      text: `code --add-mcp '${JSON.stringify({ name, type: 'http', url: endpoint })}'`,
    },
  ]
}
