import { ResourceNotFoundError, ResourceTemplate, type McpServer } from '@modelcontextprotocol/server'
import { image } from './content.ts'
import type { World } from './world.ts'

export const watchedUri = 'test://watched-resource'

/** A text, a picture, one that changes, and a template. Returns the URIs that this connection subscribed to. */
export function offerResources(mcp: McpServer, world: World): Set<string> {
  mcp.registerResource(
    'static-text',
    'test://static-text',
    { description: 'A text.', mimeType: 'text/plain' },
    ({ href }) => textContents(href, 'text/plain', 'This is the content of the static text resource.'),
  )
  mcp.registerResource(
    'static-binary',
    'test://static-binary',
    { description: 'A picture.', mimeType: 'image/png' },
    ({ href }) => ({
      contents: [{ uri: href, mimeType: image.mimeType, blob: image.data }],
    }),
  )
  mcp.registerResource(
    'watched-resource',
    watchedUri,
    { description: 'Changes on demand.', mimeType: 'text/plain' },
    ({ href }) => textContents(href, 'text/plain', `Edition ${world.watchedEdition}.`),
  )
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  mcp.registerResource(
    'template',
    template,
    { description: 'Data by id.', mimeType: 'application/json' },
    ({ href }, { id }) =>
      textContents(
        href,
        'application/json',
        JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
      ),
  )
  return acceptSubscriptions(mcp)
}

function acceptSubscriptions(mcp: McpServer): Set<string> {
  const subscriptions = new Set<string>()
  mcp.server.setRequestHandler('resources/subscribe', ({ params }) => {
    if (params.uri !== watchedUri) throw new ResourceNotFoundError(params.uri)
    subscriptions.add(params.uri)
    return {}
  })
  mcp.server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    subscriptions.delete(params.uri)
    return {}
  })
  return subscriptions
}

function textContents(uri: string, mimeType: string, text: string) {
  return { contents: [{ uri, mimeType, text }] }
}
