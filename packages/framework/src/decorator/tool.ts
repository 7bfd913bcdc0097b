import type { Awaitable, ToolDefinition, ToolOutput } from '../component/define.ts'
import type { Context } from '../context/context.ts'
import type { Parsed, Schema } from '../schema/schema.ts'
import { type AnyContext, declare, type MethodContext, requireParentheses } from './declaration.ts'
import { createField, type ToolField } from './field.ts'

type Optional = Schema | undefined

/** A tool's definition with a name of its own, where that of the method or field does not do. */
export interface NamedTool<
  Input extends Optional = undefined,
  Output extends Optional = undefined,
  S = unknown,
  Name extends string | undefined = string | undefined,
> extends ToolDefinition<Input, Output, S> {
  readonly name?: Name
}

/** Without an input schema there are no arguments, so that the context comes first. */
export type ToolMethod<This, Input, Output, S> = [Input] extends [Schema]
  ? (this: This, args: Parsed<Input>, context: Context<S>) => Awaitable<ToolOutput<Output>>
  : (this: This, context: Context<S>) => Awaitable<ToolOutput<Output>>

/** Checks the method that it is put on: its arguments against the input schema, its result against the output's. */
export type ToolDecorator<Input, Output> = <This, S>(
  method: ToolMethod<This, Input, Output, S>,
  context: MethodContext<This>,
) => void

/**
 * Makes a method a tool: `@tool({ input }) add(args: …, context)`. TypeScript checks the parameter against the schema,
 * but cannot infer it: annotate it, or use the field form.
 */
export function tool<Input extends Optional = undefined, Output extends Optional = undefined, S = unknown>(
  definition?: NamedTool<Input, Output, S>,
): ToolDecorator<Input, Output>
/**
 * Makes a field a tool and infers its arguments: `add = tool({ input }, ({ a, b }) => a + b)`. A subclass overrides it
 * with another field, not with a method.
 */
export function tool<
  Input extends Optional = undefined,
  Output extends Optional = undefined,
  S = unknown,
  const Name extends string | undefined = undefined,
>(
  definition: NamedTool<Input, Output, S, Name>,
  handler: ToolMethod<unknown, Input, Output, S>,
): ToolField<Input, Output, Name>
export function tool(definition: NamedTool<Optional, Optional> = {}, handler?: (...args: never[]) => unknown): unknown {
  requireParentheses('tool', definition)
  if (handler !== undefined) return createField({ kind: 'tool', definition, handler })
  return (_method: unknown, context: AnyContext): void =>
    declare(context, { kind: 'tool', key: context.name ?? '', definition })
}

/**
 * Makes a method a tool whose schemas `npx herma-gen` takes from its types and JSDoc; parameters become arguments by
 * their names. The class needs `@generated(…)` with what was written, and the command to be run after each change.
 */
tool.auto = function auto<S = unknown>(definition: AutoTool<S> = {}) {
  return <This>(_method: (this: This, ...args: never[]) => unknown, context: MethodContext<This>): void =>
    declare(context, { kind: 'tool', key: context.name, definition, isAuto: true })
}

/** What may be said of a tool besides the types and JSDoc of its method. */
export type AutoTool<S = unknown> = Omit<NamedTool<undefined, undefined, S>, 'input' | 'output'>
