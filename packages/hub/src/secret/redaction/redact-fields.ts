import { z } from 'zod'
import { mask } from './mask.ts'

/** A copy of a value in which the fields that its schema marks with `.meta({ secret: true })` are masked. */
export function redactFields(schema: z.core.$ZodType, value: unknown, depth = 0): unknown {
  if (value === undefined || value === null || depth > maxDepth) return depth > maxDepth ? mask : value
  if (isSecret(schema)) return mask
  const { def } = (schema as z.ZodType)._zod as unknown as { def: Definition }
  const inside = (type: z.core.$ZodType, each: unknown) => redactFields(type, each, depth + 1)
  switch (def.type) {
    case 'object':
      return mapFields(value, (name, field) => {
        const type = Object.hasOwn(def.shape!, name) ? def.shape![name] : def.catchall
        return type === undefined ? field : inside(type, field)
      })
    case 'record':
      return mapFields(value, (_, field) => inside(def.valueType!, field))
    case 'array':
      return Array.isArray(value) ? value.map((item) => inside(def.element!, item)) : value
    case 'tuple':
      return Array.isArray(value)
        ? value.map((item, index) => {
            const type = def.items![index] ?? def.rest
            return type ? inside(type, item) : item
          })
        : value
    // Whichever of them it is, what any of them calls a secret is masked.
    case 'union':
      return def.options!.reduce<unknown>((masked, option) => inside(option, masked), value)
    case 'intersection':
      return inside(def.right!, inside(def.left!, value))
    case 'pipe':
      return inside(def.out!, inside(def.in!, value))
    case 'lazy':
      return inside(def.getter!(), value)
    default:
      return def.innerType === undefined ? value : inside(def.innerType, value)
  }
}

const maxDepth = 64

/** What of zod's definitions leads on: https://zod.dev/packages/core */
interface Definition {
  readonly type: string
  readonly shape?: Record<string, z.core.$ZodType>
  readonly catchall?: z.core.$ZodType
  readonly valueType?: z.core.$ZodType
  readonly element?: z.core.$ZodType
  readonly items?: readonly z.core.$ZodType[]
  readonly rest?: z.core.$ZodType | null
  readonly options?: readonly z.core.$ZodType[]
  readonly left?: z.core.$ZodType
  readonly right?: z.core.$ZodType
  readonly in?: z.core.$ZodType
  readonly out?: z.core.$ZodType
  readonly innerType?: z.core.$ZodType
  getter?(): z.core.$ZodType
}

function isSecret(schema: z.core.$ZodType): boolean {
  return z.globalRegistry.get(schema as z.ZodType)?.['secret'] === true
}

function mapFields(value: unknown, map: (name: string, field: unknown) => unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, map(name, field)]))
}
