import { type ConnectorDraft, emptyDraft } from './connector-draft.ts'

export interface Preset {
  readonly label: string
  readonly draft: ConnectorDraft
}

/** Where many begin: a well-known server with a URL, and a program of one's own. */
export const presets: readonly Preset[] = [
  {
    label: 'Context7',
    draft: {
      ...emptyDraft,
      name: 'context7',
      description: 'Documentation of libraries, up to date.',
      transport: 'stream',
      baseUrl: 'https://mcp.context7.com',
      endpointPath: '/mcp',
      headers: [{ name: 'X-Api-Key', value: '', secret: true }],
    },
  },
  {
    label: 'Local stdio server',
    draft: {
      ...emptyDraft,
      name: 'my-server',
      description: 'A server of mine.',
      kind: 'server',
      transport: 'stdio',
      cmd: './bin/my_server',
      args: ['--port', '0', '--log', 'info'],
      env: [{ name: 'LOG_LEVEL', value: 'info', secret: false }],
      workingDir: '',
    },
  },
]
