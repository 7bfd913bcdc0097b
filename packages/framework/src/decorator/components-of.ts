import type { PromptHandler, ResourceDefinition, ResourceHandler, ToolHandler } from '../component/define.ts'
import { ConfigError } from '../protocol/errors.ts'
import type { Schema } from '../schema/schema.ts'
import { autoPrompt, autoTool } from './auto.ts'
import {
  type AnyPromptDefinition,
  type AnyToolDefinition,
  type Declaration,
  declarationsIn,
  type KindAndDefinition,
  metadataOf,
} from './declaration.ts'
import { fieldOf } from './field.ts'
import { type GeneratedMethod, generatedIn } from './generated.ts'

/** A component that an instance declares: everything that the builder asks for, its handler bound to the instance. */
export type Declared =
  | {
      readonly kind: 'tool'
      readonly name: string
      readonly definition: AnyToolDefinition
      readonly handler: ToolHandler<Schema | undefined, Schema | undefined>
    }
  | {
      readonly kind: 'resource'
      readonly name: string
      readonly uri: string
      readonly definition: ResourceDefinition
      readonly handler: ResourceHandler<string>
    }
  | {
      readonly kind: 'prompt'
      readonly name: string
      readonly definition: AnyPromptDefinition
      readonly handler: PromptHandler<Schema | undefined>
    }

interface Found {
  readonly key: PropertyKey
  readonly said: KindAndDefinition
  /** The method with its `this`; its declaration was checked against its types, which are gone by now. */
  readonly run: (...args: unknown[]) => never
  readonly entry?: GeneratedMethod
}

/**
 * The components that an instance of a decorated class declares by its methods and fields, those of the classes that it
 * extends first. An overridden method keeps its parent's declaration unless it has one of its own.
 */
export function componentsOf(instance: object): readonly Declared[] {
  if (typeof instance === 'function') {
    throw new ConfigError(`${instance.name} is a class or a function.`, `Add an instance: new ${instance.name}(…).`)
  }
  const constructor: unknown = instance.constructor
  const className = typeof constructor === 'function' && constructor !== Object ? constructor.name : 'The object'
  refuseStaticFields(constructor, className)
  const fields = findFields(instance)
  const methods = findMethods(instance, className, new Set(fields.map(({ key }) => key)))
  const declared = [...methods, ...fields].map((found) => complete(found, className))
  if (declared.length === 0) {
    throw new ConfigError(
      `${className} declares no tool, resource or prompt.`,
      'Put @tool, @resource or @prompt on its methods, or give a field the value of tool(…, handler).',
    )
  }
  refuseTwins(declared, className)
  return declared
}

/** A field hides a method of the same key, as everywhere in JavaScript. */
function findMethods(instance: object, className: string, hidden: ReadonlySet<PropertyKey>): Found[] {
  let found: Found[] = []
  for (const metadata of metadataOf(instance.constructor)) {
    const visible = declarationsIn(metadata).filter(({ key }) => !hidden.has(key))
    const own = visible.map((said) => ({
      key: said.key,
      said,
      run: bind(instance, said, className),
      ...(said.isAuto === true && { entry: findEntry(metadata, said, className) }),
    }))
    const isOverridden = ({ key, said }: Found) => own.some((mine) => mine.key === key && mine.said.kind === said.kind)
    found = [...found.filter((inherited) => !isOverridden(inherited)), ...own]
  }
  return found
}

function bind(instance: object, { kind, key }: Declaration, className: string): Found['run'] {
  const method: unknown = Reflect.get(instance, key)
  if (typeof method !== 'function') {
    throw new ConfigError(
      `'${String(key)}' of ${className} was declared with @${kind}, but in this instance it is no method.`,
      'Override a method with a method.',
    )
  }
  return method.bind(instance) as Found['run']
}

function findEntry(metadata: DecoratorMetadataObject, { kind, key }: Declaration, className: string): GeneratedMethod {
  const methods = generatedIn(metadata)
  const place = `${className}.${String(key)}`
  if (methods === undefined) {
    throw new ConfigError(
      `${place} has @${kind}.auto(), but its class was given no schemas.`,
      `Run: npx herma-gen, then import * as schemas from the '….gen.ts' that it writes and put @generated(schemas.…) on the class.`,
    )
  }
  const entry = Object.hasOwn(methods, key) ? methods[String(key)] : undefined
  if (entry === undefined || entry.kind !== kind) {
    throw new ConfigError(`${place} has @${kind}.auto(), but the generated schemas are older.`, 'Run: npx herma-gen')
  }
  return entry
}

function findFields(instance: object): Found[] {
  return Reflect.ownKeys(instance).flatMap((key) => {
    // A getter is not run for looking at it.
    const said = fieldOf(Object.getOwnPropertyDescriptor(instance, key)?.value)
    return said === undefined ? [] : [{ key, said, run: said.handler as Found['run'] }]
  })
}

function refuseStaticFields(constructor: unknown, className: string): void {
  if (typeof constructor !== 'function') return
  for (const [key, { value }] of Object.entries(Object.getOwnPropertyDescriptors(constructor))) {
    const kind = fieldOf(value)?.kind
    if (kind === undefined) continue
    throw new ConfigError(
      `The static field ${className}.${key} is a ${kind}, but instances are served.`,
      `Remove 'static'.`,
    )
  }
}

function complete({ key, said, run, entry }: Found, className: string): Declared {
  const name = said.definition.name ?? key
  if (typeof name !== 'string') {
    throw new ConfigError(`A ${said.kind} of ${className} has a symbol for its name.`, `Give its definition a 'name'.`)
  }
  if (said.kind === 'resource') {
    return { kind: 'resource', name, uri: said.uri, definition: { ...said.definition, name }, handler: run }
  }
  if (said.kind === 'tool') {
    const { name: _, ...definition } = said.definition
    if (entry !== undefined) return { kind: 'tool', name, ...autoTool(entry, definition, run) }
    return { kind: 'tool', name, definition, handler: definition.input ? run : (_args, context) => run(context) }
  }
  const { name: _, ...definition } = said.definition
  if (entry !== undefined) return { kind: 'prompt', name, ...autoPrompt(entry, definition, run) }
  return { kind: 'prompt', name, definition, handler: definition.args ? run : (_args, context) => run(context) }
}

function refuseTwins(declared: readonly Declared[], className: string): void {
  const seen = new Set<string>()
  for (const component of declared) {
    const id = component.kind === 'resource' ? component.uri : component.name
    const twin = `${component.kind} '${id}'`
    if (seen.has(twin)) {
      throw new ConfigError(`${className} declares the ${twin} twice.`, `Give one of them another name or URI.`)
    }
    seen.add(twin)
  }
}
