/** The name under which agents find the hub as an MCP server: /api/mcp/servers/herma/stream. */
export const managementName = 'herma'
