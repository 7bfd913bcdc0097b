import { ConfigError } from '../protocol/errors.ts'

/** A JSON Schema as it stands in a sidecar. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** What `herma-gen` knows of one method, as it stands in the sidecar. */
export interface GeneratedMethod {
  readonly kind: 'tool' | 'prompt'
  readonly title?: string
  readonly description?: string
  /** The parameters in their order. None when the only parameter is the object of all arguments. */
  readonly parameters?: readonly string[]
  /** The last parameter takes the items of its array one by one. */
  readonly hasRest?: boolean
  /** The context follows the arguments. */
  readonly takesContext?: boolean
  readonly input?: JsonSchema
  readonly output?: JsonSchema
  /** The value is no object by itself, so clients get `{ result: value }`. */
  readonly isWrapped?: boolean
}

/** The methods of one class, by their names. */
export type GeneratedMethods = Readonly<Record<string, GeneratedMethod>>

const generatedKey = Symbol.for('herma.generated')

/**
 * Gives a class the schemas that `npx herma-gen` wrote for its `auto` methods: `@generated(schemas.Calculator)`. The
 * sidecar is a module that the source imports itself: that is what tsx, tsc and bundlers all follow, where a file that
 * is found at run time would stay behind in a build.
 */
export function generated<const Methods extends GeneratedMethods>(methods: Methods) {
  return (
    _target: abstract new (...args: never[]) => { readonly [Name in keyof Methods]: (...args: never[]) => unknown },
    context: ClassDecoratorContext,
  ): void => {
    const given: unknown = methods
    if (typeof given !== 'object' || given === null) {
      throw new ConfigError(
        `@generated of the class '${context.name}' got ${String(given)}.`,
        'Run: npx herma-gen, then give it the export of the sidecar that has the name of the class.',
      )
    }
    context.metadata[generatedKey] = methods
  }
}

/** The schemas of this very class; undefined when it has no `@generated(…)`. */
export function generatedIn(metadata: DecoratorMetadataObject): GeneratedMethods | undefined {
  return Object.hasOwn(metadata, generatedKey) ? (metadata[generatedKey] as GeneratedMethods) : undefined
}
