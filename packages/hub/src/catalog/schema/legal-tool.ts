import { isObject, type Descriptor } from '../../wire/index.ts'

const isText = (value: unknown) => typeof value === 'string'

/** Fields that may be absent, and what they have to be when they are there. */
const optionalFields: Readonly<Record<string, (value: unknown) => boolean>> = {
  title: isText,
  description: isText,
  icons: Array.isArray,
  annotations: isObject,
  execution: isObject,
}

/**
 * A tool that the protocol allows, made of one that it may not: clients refuse a whole list for one such tool, and with
 * it those of all other servers. Only what is not allowed is changed, and a tool that is fine comes back as it is.
 */
export function legalTool(descriptor: Descriptor): Descriptor {
  const wrong = Object.keys(optionalFields).filter(
    (field) => descriptor[field] !== undefined && !optionalFields[field]!(descriptor[field]),
  )
  const inputSchema = legalInput(descriptor['inputSchema'])
  const outputSchema = legalOutput(descriptor['outputSchema'])
  const isSame = inputSchema === descriptor['inputSchema'] && outputSchema === descriptor['outputSchema']
  if (isSame && wrong.length === 0) return descriptor
  const legal: Record<string, unknown> = { ...descriptor, inputSchema, outputSchema }
  for (const field of [...wrong, ...(outputSchema === undefined ? ['outputSchema'] : [])]) delete legal[field]
  return legal
}

function legalInput(schema: unknown): unknown {
  // Some servers leave it out for tools without parameters.
  if (!isObject(schema)) return { type: 'object' }
  const { type } = schema
  if (type === 'object') return legalObject(schema)
  const canBeObject = type === undefined || (Array.isArray(type) && type.includes('object'))
  return canBeObject ? legalObject({ ...schema, type: 'object' }) : { type: 'object' }
}

function legalOutput(schema: unknown): unknown {
  if (!isObject(schema)) return undefined
  return schema['type'] === 'object' ? legalObject(schema) : schema
}

function legalObject(schema: Record<string, unknown>): Record<string, unknown> {
  const { properties, required, ...rest } = schema
  const hasProperties = properties === undefined || (isObject(properties) && Object.values(properties).every(isSchema))
  const hasRequired = required === undefined || (Array.isArray(required) && required.every(isText))
  if (hasProperties && hasRequired) return schema
  return {
    ...rest,
    ...(isObject(properties) && { properties: withSchemas(properties) }),
    ...(Array.isArray(required) && { required: required.filter(isText) }),
  }
}

const isSchema = (value: unknown) => isObject(value) || typeof value === 'boolean'

function withSchemas(properties: Record<string, unknown>): Record<string, unknown> {
  const wrong = Object.keys(properties).filter((name) => !isSchema(properties[name]))
  return { ...properties, ...Object.fromEntries(wrong.map((name) => [name, {}])) }
}
