import type { ContentBlock } from '@modelcontextprotocol/server'

type Bytes = Uint8Array | string

/** Makes blocks of content; bytes may be given as they are or as Base64. */
export const content = {
  text: (text: string): ContentBlock => ({ type: 'text', text }),
  json: (value: unknown): ContentBlock => ({ type: 'text', text: JSON.stringify(value) }),
  image: (data: Bytes, mimeType: string): ContentBlock => ({ type: 'image', data: base64(data), mimeType }),
  audio: (data: Bytes, mimeType: string): ContentBlock => ({ type: 'audio', data: base64(data), mimeType }),
  /** A resource that the client may read. */
  link: (uri: string, options: { name?: string; description?: string; mimeType?: string } = {}): ContentBlock => ({
    type: 'resource_link',
    uri,
    ...options,
    name: options.name ?? uri,
  }),
  /** A resource with its body: text, or bytes. */
  embed: (uri: string, body: Bytes, mimeType?: string): ContentBlock => ({
    type: 'resource',
    resource: {
      uri,
      ...(mimeType !== undefined && { mimeType }),
      ...(typeof body === 'string' ? { text: body } : { blob: base64(body) }),
    },
  }),
}

function base64(data: Bytes): string {
  return typeof data === 'string' ? data : Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64')
}
