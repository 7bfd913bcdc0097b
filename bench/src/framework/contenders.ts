import type { Contender, Way } from './contender.ts'

const everywhere: Way[] = ['stdio/legacy', 'stdio/modern', 'http/legacy', 'http/modern']

/** The frameworks, ours first and the official SDK, with which it is compared, second. */
export const contenders: Contender[] = [
  {
    name: 'herma',
    main: '@herma/framework',
    packages: { '@herma/framework': 'packed', zod: '4.6.7' },
    note: 'this repository, as `npm run build` makes it',
    ways: everywhere,
    byHand: [],
    unknown: {},
  },
  {
    name: 'sdk',
    main: '@modelcontextprotocol/server',
    packages: { '@modelcontextprotocol/server': '2.4.0', '@modelcontextprotocol/node': '2.1.2', zod: '4.6.7' },
    note: '`McpServer` with `serveStdio` and `createMcpHandler`; legacy clients over HTTP by the session recipe of its guide',
    ways: everywhere,
    byHand: ['sse', 'resume', 'ask-legacy', 'cancel-legacy', 'changed-legacy', 'host', 'oauth'],
    unknown: {},
  },
  {
    name: 'fastmcp',
    main: 'fastmcp',
    packages: { fastmcp: '4.20.16', zod: '4.6.7' },
    note: 'on the SDK 1',
    ways: ['stdio/legacy', 'http/legacy'],
    byHand: [],
    unknown: {},
  },
  {
    name: 'mcp-use',
    main: 'mcp-use',
    packages: { 'mcp-use': '1.34.6', zod: '4.6.7' },
    note: 'on the SDK 1; the last line that runs on Node 20, its version 2 needs Node 22; its servers have no stdio',
    ways: ['http/legacy'],
    // Production leaves out its inspector, its file watching and its session files, which is in its favour.
    env: { NODE_ENV: 'production', MCP_USE_ANONYMIZED_TELEMETRY: 'false' },
    byHand: [],
    unknown: {},
  },
  {
    name: 'tmcp',
    main: 'tmcp',
    packages: {
      tmcp: '1.20.0',
      '@tmcp/adapter-zod': '0.1.7',
      '@tmcp/transport-stdio': '0.5.0',
      '@tmcp/transport-http': '0.9.0',
      '@remix-run/node-fetch-server': '0.14.2',
      zod: '4.6.7',
    },
    note: 'without any SDK; on node:http through the adapter that its guide names',
    ways: everywhere,
    // Its packages tell development from production by this condition, and warn in development.
    env: { NODE_ENV: 'production' },
    byHand: [],
    unknown: { oauth: 'its package @tmcp/auth could not be installed from the registry of this run' },
  },
  {
    name: 'xmcp',
    main: 'xmcp',
    packages: { xmcp: '1.1.3', '@xmcp-dev/compiler': '1.1.3', zod: '4.6.7' },
    note: 'on the SDK 2, as `xmcp build` bundles it; HTTP without sessions',
    ways: everywhere,
    byHand: [],
    unknown: { oauth: 'it has plugins for named vendors, each of which needs an account' },
  },
]
