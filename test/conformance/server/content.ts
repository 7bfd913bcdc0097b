import type {
  AudioContent,
  CallToolResult,
  EmbeddedResource,
  ImageContent,
  TextContent,
} from '@modelcontextprotocol/server'

export const text = (value: string): TextContent => ({ type: 'text', text: value })

export const textResult = (value: string): CallToolResult => ({ content: [text(value)] })

export const embedded = (uri: string, mimeType: string, value: string): EmbeddedResource => ({
  type: 'resource',
  resource: { uri, mimeType, text: value },
})

/** One red pixel. */
export const image: ImageContent = {
  type: 'image',
  mimeType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC',
}

/** A millisecond of silence. */
export const audio: AudioContent = {
  type: 'audio',
  mimeType: 'audio/wav',
  data: 'UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==',
}
