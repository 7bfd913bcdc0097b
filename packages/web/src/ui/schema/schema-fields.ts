type Schema = Readonly<Record<string, unknown>>

interface FieldBase {
  readonly name: string
  readonly label: string
  readonly description: string
  readonly isRequired: boolean
  readonly default: unknown
}

/** One field of a form that is made from a JSON schema. `json` is for what no control fits. */
export type SchemaField = FieldBase &
  (
    | { readonly kind: 'text'; readonly isLong: boolean }
    | { readonly kind: 'number'; readonly isInteger: boolean }
    | { readonly kind: 'boolean' }
    | { readonly kind: 'choice'; readonly choices: readonly unknown[] }
    | { readonly kind: 'list'; readonly isNumeric: boolean }
    | { readonly kind: 'object'; readonly fields: readonly SchemaField[] }
    | { readonly kind: 'json'; readonly example: unknown }
  )

const maxDepth = 4

/** The fields of an object's schema, those that must be given first. */
export function readFields(schema: unknown, root: unknown = schema, depth = 0): SchemaField[] {
  const { properties, required } = resolve(schema, root)
  if (!isObject(properties)) return []
  const names = new Set(Array.isArray(required) ? required : [])
  const fields = Object.entries(properties).map(([name, property]) =>
    readField({ name, isRequired: names.has(name) }, resolve(property, root), { root, depth }),
  )
  return fields.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired))
}

/** What a form begins with: the defaults that the schema names. */
export function initialValues(fields: readonly SchemaField[]): Record<string, unknown> {
  const entries = fields.flatMap((field): [string, unknown][] => {
    if (field.default !== undefined) return [[field.name, field.default]]
    if (field.kind !== 'object' || !field.isRequired) return []
    return [[field.name, initialValues(field.fields)]]
  })
  return Object.fromEntries(entries)
}

/** Names of the fields that must have a value and have none: `filter.path`. */
export function missingFields(fields: readonly SchemaField[], values: unknown, prefix = ''): string[] {
  const given = isObject(values) ? values : {}
  return fields.flatMap((field) => {
    const value = given[field.name]
    if (value === undefined) return field.isRequired ? [prefix + field.name] : []
    return field.kind === 'object' ? missingFields(field.fields, value, `${prefix}${field.name}.`) : []
  })
}

function readField(
  { name, isRequired }: Pick<FieldBase, 'name' | 'isRequired'>,
  schema: Schema,
  { root, depth }: { root: unknown; depth: number },
): SchemaField {
  const { title, description, type, items, format } = schema
  const base = {
    name,
    label: typeof title === 'string' && title !== '' ? title : name,
    description: typeof description === 'string' ? description : '',
    isRequired,
    default: schema['default'],
  }
  const example = exampleOf(schema, root)
  const choices = 'const' in schema ? [schema['const']] : schema['enum']
  if (Array.isArray(choices) && choices.every((choice) => !isObject(choice)))
    return { ...base, kind: 'choice', choices }
  switch (type) {
    case 'string':
      return { ...base, kind: 'text', isLong: format === 'textarea' || /content|text|body|query|code/i.test(name) }
    case 'number':
    case 'integer':
      return { ...base, kind: 'number', isInteger: type === 'integer' }
    case 'boolean':
      return { ...base, kind: 'boolean' }
    case 'array': {
      const item = resolve(items, root)['type']
      if (item === 'string') return { ...base, kind: 'list', isNumeric: false }
      if (item === 'number' || item === 'integer') return { ...base, kind: 'list', isNumeric: true }
      return { ...base, kind: 'json', example }
    }
    case 'object': {
      const fields = depth + 1 < maxDepth ? readFields(schema, root, depth + 1) : []
      return fields.length > 0 ? { ...base, kind: 'object', fields } : { ...base, kind: 'json', example }
    }
    default:
      return { ...base, kind: 'json', example }
  }
}

/** The shape of a value that the schema asks for, with nothing in it. */
function exampleOf(given: unknown, root: unknown, depth = 0): unknown {
  const schema = resolve(given, root)
  const { type, properties, items, enum: choices } = schema
  if ('const' in schema) return schema['const']
  if (Array.isArray(choices)) return choices[0]
  if (type === 'array') return depth < maxDepth ? [exampleOf(items, root, depth + 1)] : []
  if (isObject(properties) && depth < maxDepth)
    return Object.fromEntries(
      Object.entries(properties).map(([name, part]) => [name, exampleOf(part, root, depth + 1)]),
    )
  return type === 'number' || type === 'integer' ? 0 : type === 'boolean' ? false : type === 'string' ? '' : {}
}

/** Follows a reference within the schema, and takes the one branch that is not null. */
function resolve(schema: unknown, root: unknown, depth = 0): Schema {
  if (!isObject(schema) || depth > maxDepth) return {}
  const { $ref: reference, type } = schema
  if (typeof reference === 'string' && reference.startsWith('#/')) {
    const target = reference
      .slice(2)
      .split('/')
      .reduce<unknown>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), root)
    return { ...resolve(target, root, depth + 1), ...without(schema, '$ref') }
  }
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const branches = Array.isArray(schema[key])
      ? schema[key].filter((each) => !isObject(each) || each['type'] !== 'null')
      : []
    if (branches.length === 1) return { ...resolve(branches[0], root, depth + 1), ...without(schema, key) }
  }
  const types = Array.isArray(type) ? type.filter((each) => each !== 'null') : []
  return types.length === 1 ? { ...schema, type: types[0] as unknown } : schema
}

function without(schema: Schema, key: string): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== key))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
