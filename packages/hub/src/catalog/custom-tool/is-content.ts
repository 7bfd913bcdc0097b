import { isObject } from '../../wire/index.ts'
import type { ContentBlock } from '../core/own-tool.ts'

/**
 * Tells whether a value is a list of content blocks that clients understand.
 * https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result
 */
export function isContent(value: unknown): value is ContentBlock[] {
  return Array.isArray(value) && value.every(isBlock)
}

function isBlock(block: unknown): boolean {
  if (!isObject(block)) return false
  switch (block['type']) {
    case 'text':
      return hasTexts(block, 'text')
    case 'image':
    case 'audio':
      return hasTexts(block, 'data', 'mimeType')
    case 'resource_link':
      return hasTexts(block, 'uri', 'name')
    case 'resource': {
      const { resource } = block
      return (
        isObject(resource) && hasTexts(resource, 'uri') && (hasTexts(resource, 'text') || hasTexts(resource, 'blob'))
      )
    }
    default:
      return false
  }
}

function hasTexts(object: Record<string, unknown>, ...names: string[]): boolean {
  return names.every((name) => typeof object[name] === 'string')
}
