import type { Context } from '../context/context.ts'
import type { RequestContext } from '../host/request-context.ts'
import { isObject } from '../wire/meta.ts'

/** MCP Apps: https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx */
export const uiExtension = 'io.modelcontextprotocol/ui'

/** The type of a view's document. */
export const uiMimeType = 'text/html;profile=mcp-app'

/**
 * Whether the client of this request shows HTML views beside results of tools.
 * A tool must make sense without its view too: the model reads only the result.
 */
export function supportsUi(context: Context): boolean {
  // Only the host makes contexts, and it makes them of this class.
  const { capabilities } = (context as RequestContext).clientSaid()
  const declared = (capabilities.extensions as Record<string, unknown> | undefined)?.[uiExtension]
  if (!isObject(declared)) return false
  const types = declared['mimeTypes']
  return !Array.isArray(types) || types.includes(uiMimeType)
}
