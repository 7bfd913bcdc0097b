import { ConfigError } from '../../protocol/errors.ts'
import { isObject } from '../../wire/meta.ts'
import { toJsonSchema2020 } from './openapi-schema.ts'

type Json = Record<string, unknown>

const maxRefs = 32

/** An OpenAPI document whose references are looked up. Only references within the document are followed. */
export class OpenApiDocument {
  readonly root: Json
  readonly #isOld: boolean
  readonly #names = new Map<string, string>()

  constructor(document: object) {
    const version = (document as { openapi?: unknown }).openapi
    if (typeof version !== 'string' || !/^3\.[01](\.|$)/.test(version)) {
      const found = version === undefined ? 'no version' : `version ${JSON.stringify(version)}`
      throw new ConfigError(
        `This is no OpenAPI 3.0 or 3.1 document: it has ${found}.`,
        'Convert it first, or parse its text.',
      )
    }
    this.root = document as Json
    this.#isOld = version.startsWith('3.0')
  }

  /** The first server, with the defaults of its variables. */
  serverUrl(): string | undefined {
    const servers = this.root['servers']
    const first: unknown = Array.isArray(servers) ? servers[0] : undefined
    if (!isObject(first) || typeof first['url'] !== 'string') return undefined
    const variables = isObject(first['variables']) ? first['variables'] : {}
    return first['url'].replace(/\{([^}]+)\}/g, (whole, name: string) => {
      const variable = variables[name]
      return isObject(variable) && typeof variable['default'] === 'string' ? variable['default'] : whole
    })
  }

  /** What a value stands for, when it is a reference; else the value. */
  resolve(value: unknown): unknown {
    let found = value
    for (let count = 0; isObject(found) && typeof found['$ref'] === 'string'; count++) {
      if (count >= maxRefs) throw new ConfigError(`'${found['$ref']}' leads in a circle.`, 'Mend the document.')
      found = this.at(found['$ref'])
    }
    return found
  }

  at(ref: string): unknown {
    if (!ref.startsWith('#')) {
      throw new ConfigError(`'${ref}' leads out of the document.`, 'Bundle the document into one file first.')
    }
    let found: unknown = this.root
    for (const part of pointerOf(ref)) {
      const next =
        typeof found === 'object' && found !== null && Object.hasOwn(found, part) ? (found as Json)[part] : undefined
      if (next === undefined) throw new ConfigError(`'${ref}' leads to nothing.`, 'Mend the document.')
      found = next
    }
    return found
  }

  /**
   * A schema of the document as JSON Schema 2020-12 that stands alone: what it refers to comes along under `$defs`, so
   * that schemas which contain themselves stay finite.
   */
  schemaOf(value: unknown): Json {
    const definitions: Json = {}
    const rename = (ref: string): string => {
      const name = this.#nameOf(ref)
      if (!Object.hasOwn(definitions, name)) {
        // Registered before it is converted, so that a circular reference ends here.
        definitions[name] = {}
        definitions[name] = toJsonSchema2020(this.at(ref), this.#isOld, rename)
      }
      return `#/$defs/${name}`
    }
    const schema = toJsonSchema2020(value, this.#isOld, rename)
    const whole = typeof schema === 'boolean' ? (schema ? {} : { not: {} }) : schema
    return Object.keys(definitions).length > 0 ? { ...whole, $defs: definitions } : whole
  }

  /** The same for all schemas of the document, so that the definitions of two can be put together. */
  #nameOf(ref: string): string {
    const known = this.#names.get(ref)
    if (known !== undefined) return known
    const base = (ref.split('/').at(-1) ?? '').replace(/[^A-Za-z0-9_.-]/g, '_') || 'schema'
    const taken = new Set(this.#names.values())
    let name = base
    for (let count = 2; taken.has(name); count++) name = `${base}_${count}`
    this.#names.set(ref, name)
    return name
  }
}

function pointerOf(ref: string): string[] {
  let pointer: string
  try {
    pointer = decodeURIComponent(ref.slice(1))
  } catch {
    throw new ConfigError(`'${ref}' is no JSON pointer.`, 'Mend the document.')
  }
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}
