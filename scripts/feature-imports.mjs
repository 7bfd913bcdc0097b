/**
 * The arrows between the features of the hub: each may import itself, `platform`, the packages `contract` and
 * `framework`, and the features named here, through their index.ts. ARCHITECTURE.md draws this list.
 * Need a feature that is not in your line? Declare the small interface that you need beside its use, and let hub.ts
 * pass the implementation in. A new arrow is a design decision: add it here with its reason.
 * @type {Record<string, string[]>}
 */
export const featureImports = {
  wire: [],
  secret: [],
  // MCP over HTTP for everything but the calls of clients, which downstream/link/http-post.ts passes on as bytes.
  'mcp-client': ['wire'],
  workspace: [],
  // Who the operator is stands beside the Call, which names principals; what the authority keeps is sealed.
  access: ['wire', 'secret'],
  trace: [],
  change: [],
  management: [],
  catalog: ['wire'],
  downstream: ['wire', 'secret'],
  // It shows the tools of servers to models, and asks their clients.
  session: ['wire', 'workspace'],
  // Which member answers is told by the path of the work context; sessions come through an interface.
  team: ['wire'],
  // It tests the served servers as a client of theirs.
  gateway: ['wire', 'downstream', 'catalog', 'access', 'mcp-client'],
  // It guesses which values are secrets; connectors come through an interface.
  discovery: ['secret'],
}

/**
 * Folders that put features together, as hub.ts does: adapters between features, and backups, whose parts are what each
 * feature configures. No feature imports them.
 */
export const rootFolders = ['wiring', 'backup']

/** What may be imported by the parts of the hub that are not features. */
export const partImports = {
  platform: ['platform'],
  // `herma call` and `herma stdio` are MCP clients; `herma catalog check` reads fragments without a hub.
  cli: ['cli', 'hub', 'platform', 'discovery', 'wire', 'catalog', 'mcp-client'],
}

/**
 * Packages that a package may import, tests aside. `null` = any but the workspaces that are not named.
 * @type {Record<string, { workspaces: string[]; packages: string[] | null }>}
 */
export const packageImports = {
  contract: { workspaces: [], packages: ['zod'] },
  framework: {
    workspaces: [],
    packages: [
      '@modelcontextprotocol/server',
      '@modelcontextprotocol/client',
      '@opentelemetry/api',
      '@ts-morph/common',
      'jose',
    ],
  },
  'create-herma-server': { workspaces: [], packages: [] },
  hub: { workspaces: ['@herma/contract', '@herma/framework'], packages: null },
  web: { workspaces: ['@herma/contract'], packages: null },
}
