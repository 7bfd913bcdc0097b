import { isObject } from '../../wire/index.ts'
import type { ModeTool } from './mode-catalog.ts'
import { commentText, propertyName, typescriptType } from './typescript-type.ts'

/** The declarations of tools as a script sees them. */
export function typescriptStubs(tools: readonly ModeTool[]): string {
  return `declare const tools: {\n${tools.map((tool) => shortStub(tool)).join('\n')}\n}`
}

/** One line about what a tool does, and one with its signature. */
export function shortStub(tool: ModeTool): string {
  const { description } = tool.descriptor()
  const comment = typeof description === 'string' && description.trim() !== '' ? commentText(description, 120) : ''
  return `${comment === '' ? '' : `  /** ${comment} */\n`}  ${signature(tool, false)}`
}

/** Everything that a tool says about itself, with its parameters explained. */
export function fullStub(tool: ModeTool): string {
  const { description } = tool.descriptor()
  const lines = (typeof description === 'string' ? description : '').slice(0, 8000).replaceAll('*/', '*∕').trim()
  const comment = lines === '' ? '' : `  /**\n${lines.replace(/^/gm, '   * ')}\n   */\n`
  return `declare const tools: {\n${comment}  ${signature(tool, true)}\n}`
}

function signature(tool: ModeTool, hasComments: boolean): string {
  const { inputSchema, outputSchema } = tool.descriptor()
  const args = typescriptType(isObject(inputSchema) ? { type: 'object', ...inputSchema } : {}, { hasComments })
  const result = isObject(outputSchema) ? typescriptType(outputSchema, { hasComments }) : 'unknown'
  const isOptional = !isObject(inputSchema) || !hasRequired(inputSchema)
  const parameter = isNothing(inputSchema) ? '' : `args${isOptional ? '?' : ''}: ${args}`
  return `${propertyName(tool.name)}(${parameter}): Promise<${result}>`
}

function hasRequired(schema: Readonly<Record<string, unknown>>): boolean {
  const required: unknown = schema['required']
  return Array.isArray(required) && required.length > 0
}

// Most tools without parameters say so with an object that has no properties.
function isNothing(schema: unknown): boolean {
  if (!isObject(schema)) return true
  const properties = schema['properties']
  const isEmpty = !isObject(properties) || Object.keys(properties).length === 0
  const names = Object.keys(schema).filter((name) => !['type', 'properties', 'required', '$schema'].includes(name))
  return isEmpty && names.every((name) => name === 'additionalProperties' && schema[name] === false)
}
