import { isObject, type Descriptor } from '../../wire/index.ts'
import { describesObject } from './normalisation/normalise-tool.ts'

/**
 * A tool for clients that know the schemas of 2025-11-25 only: properties are described by objects, and an output is an
 * object. One that is fine comes back as it is.
 */
export function plainTool(descriptor: Descriptor): Descriptor {
  const { inputSchema, outputSchema } = descriptor
  const input = withoutFlags(inputSchema)
  const output = plainOutput(outputSchema)
  if (input === inputSchema && output === outputSchema) return descriptor
  const plain: Record<string, unknown> = { ...descriptor, inputSchema: input, outputSchema: output }
  if (output === undefined) delete plain['outputSchema']
  return plain
}

function plainOutput(schema: unknown): unknown {
  if (!isObject(schema) || schema['type'] === 'object') return withoutFlags(schema)
  return describesObject(schema, schema) ? withoutFlags({ ...schema, type: 'object' }) : undefined
}

/** Where only objects are taken, {} stands for true, and what nothing fits for false. */
function withoutFlags(schema: unknown): unknown {
  const properties = isObject(schema) ? schema['properties'] : undefined
  if (!isObject(schema) || !isObject(properties)) return schema
  const flags = Object.entries(properties).filter(([, each]) => typeof each === 'boolean')
  if (flags.length === 0) return schema
  const objects = flags.map(([name, isAny]) => [name, isAny ? {} : { not: {} }])
  return { ...schema, properties: { ...properties, ...Object.fromEntries(objects) } }
}
