import { bare } from './bare.ts'
import { direct } from './direct.ts'
import { herma } from './herma.ts'
import { mcpHub } from './mcp-hub.ts'
import { mcpProxy } from './mcp-proxy.ts'
import { mcpUse } from './mcp-use.ts'
import { sdk } from './sdk.ts'

/** Everything that can be measured, in the order of the tables. */
export const targets = [direct, bare, herma, sdk, mcpProxy, mcpHub, mcpUse]
