import type { PromptDefinition, ResourceDefinition, ToolDefinition } from '../component/define.ts'
import { ConfigError } from '../protocol/errors.ts'
import type { Schema } from '../schema/schema.ts'

// Node 20 has no Symbol.metadata. Compilers that lower decorators look for it when they meet a decorated class, which
// imports this module first; esbuild takes the same registered symbol where there is none.
;(Symbol as { metadata?: symbol }).metadata ??= Symbol.for('Symbol.metadata')

export type DeclaredKind = 'tool' | 'resource' | 'prompt'

export type AnyToolDefinition = ToolDefinition<Schema | undefined, Schema | undefined>
export type AnyPromptDefinition = PromptDefinition<Schema | undefined>

/** A definition of any kind, with what it is the definition of. */
export type KindAndDefinition =
  | { readonly kind: 'tool'; readonly definition: AnyToolDefinition & { readonly name?: string } }
  | { readonly kind: 'resource'; readonly uri: string; readonly definition: ResourceDefinition }
  | { readonly kind: 'prompt'; readonly definition: AnyPromptDefinition & { readonly name?: string } }

/** What a decorator says of a method, before there is an instance to run it on. */
export type Declaration = KindAndDefinition & {
  readonly key: PropertyKey
  /** The schemas come from `@generated(…)` of the class. */
  readonly isAuto?: boolean
}

/** The context of a method that clients can reach through an instance: neither static nor private. */
export type MethodContext<This> = ClassMethodDecoratorContext<This> & {
  readonly static: false
  readonly private: false
}

/** A context as untyped code may bring it. */
export interface AnyContext {
  readonly kind: string
  readonly name?: string | symbol
  readonly static?: boolean
  readonly private?: boolean
  readonly metadata?: DecoratorMetadataObject
}

// Registered, so that a class decorated by one copy of this package is understood by another.
const declarationsKey = Symbol.for('herma.declarations')

/** Remembers a declaration with the class. The compiler refuses the same mistakes, but not everybody asks it. */
export function declare(context: AnyContext, declaration: Declaration): void {
  const { kind } = declaration
  const name = String(context.name)
  if (context.kind !== 'method') {
    throw new ConfigError(
      `@${kind} is on the ${context.kind} '${name}', but it is for methods.`,
      `Use the field form: ${name} = ${kind}(…, handler).`,
    )
  }
  if (context.static === true) {
    throw new ConfigError(`The static method '${name}' has @${kind}, but instances are served.`, `Remove 'static'.`)
  }
  if (context.private === true) {
    throw new ConfigError(`The private method '${name}' has @${kind}, but clients are to call it.`, `Remove the '#'.`)
  }
  const { metadata } = context
  if (metadata === undefined) {
    throw new ConfigError(
      `The class of '${name}' was made without decorator metadata.`,
      'Import @herma/framework before the class, and compile with TypeScript 5.2, esbuild 0.21 or newer.',
    )
  }
  if (!Object.hasOwn(metadata, declarationsKey)) metadata[declarationsKey] = []
  const own = metadata[declarationsKey] as Declaration[]
  own.push(declaration)
}

/** The metadata of a class and of those that it extends, the oldest first. */
export function metadataOf(constructor: unknown): readonly DecoratorMetadataObject[] {
  const levels: DecoratorMetadataObject[] = []
  let level = typeof constructor === 'function' ? (constructor[Symbol.metadata] ?? null) : null
  while (level !== null) {
    levels.unshift(level)
    level = Object.getPrototypeOf(level) as DecoratorMetadataObject | null
  }
  return levels
}

/** What the methods of this very class declare. */
export function declarationsIn(metadata: DecoratorMetadataObject): readonly Declaration[] {
  return Object.hasOwn(metadata, declarationsKey) ? (metadata[declarationsKey] as readonly Declaration[]) : []
}

/** Finds `@tool` where `@tool()` was meant: the decorator is then given the method as its definition. */
export function requireParentheses(decorator: 'tool' | 'prompt', definition: unknown): void {
  if (typeof definition !== 'function') return
  throw new ConfigError(
    `@${decorator} stands before ${definition.name} without parentheses.`,
    `Write @${decorator}({ … }), or @${decorator}.auto() with herma-gen.`,
  )
}
