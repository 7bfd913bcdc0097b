/** How one client is pointed at the hub: a command to run, or text for its configuration file. */
export interface ConnectSnippet {
  readonly client: 'claude-code' | 'codex' | 'cursor' | 'vscode'
  readonly title: string
  /** Absent when the text is a command. */
  readonly file?: string
  readonly text: string
}

/** What to type or paste so that a client uses the hub at this endpoint. */
export function connectSnippets(endpoint: string): ConnectSnippet[] {
  return [
    { client: 'claude-code', title: 'Claude Code', text: `claude mcp add --transport http herma ${endpoint}` },
    {
      client: 'codex',
      title: 'Codex',
      file: '~/.codex/config.toml',
      text: `[mcp_servers.herma]\nurl = ${JSON.stringify(endpoint)}`,
    },
    {
      client: 'cursor',
      title: 'Cursor',
      file: '~/.cursor/mcp.json',
      text: JSON.stringify({ mcpServers: { herma: { url: endpoint } } }),
    },
    {
      client: 'vscode',
      title: 'VS Code',
      text: `code --add-mcp '${JSON.stringify({ name: 'herma', type: 'http', url: endpoint })}'`,
    },
  ]
}
