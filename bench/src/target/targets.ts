import { agentgateway } from './agentgateway.ts'
import { bare } from './bare.ts'
import { direct } from './direct.ts'
import { fastmcp } from './fastmcp.ts'
import { herma, hermaNode } from './herma.ts'
import { mcpHub } from './mcp-hub.ts'
import { mcpProxy } from './mcp-proxy.ts'
import { mcpUse } from './mcp-use.ts'
import { nginx } from './nginx.ts'
import { sdk } from './sdk.ts'
import { tbxark } from './tbxark.ts'

/** Everything that can be measured, in the order of the tables. */
export const targets = [
  direct,
  bare,
  nginx,
  herma,
  hermaNode,
  sdk,
  agentgateway,
  tbxark,
  fastmcp,
  mcpProxy,
  mcpHub,
  mcpUse,
]
