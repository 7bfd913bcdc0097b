/** The name under which agents find the hub as an MCP server: /api/mcp/servers/herma/stream. */
export const managementName = 'herma'

/** How many tools it lists. Written down because the server itself is read only when somebody asks it. */
export const managementToolCount = 14
