import type { Awaitable, PromptDefinition, PromptOutput } from '../component/define.ts'
import type { Context } from '../context/context.ts'
import type { Parsed, Schema } from '../schema/schema.ts'
import { type AnyContext, declare, type MethodContext, requireParentheses } from './declaration.ts'
import { createField, type Field } from './field.ts'

/** A prompt's definition with a name of its own, where that of the method or field does not do. */
export interface NamedPrompt<Args extends Schema | undefined = undefined, S = unknown> extends PromptDefinition<
  Args,
  S
> {
  readonly name?: string
}

/** Without a schema there are no arguments, so that the context comes first. */
export type PromptMethod<This, Args, S> = [Args] extends [Schema]
  ? (this: This, args: Parsed<Args>, context: Context<S>) => Awaitable<PromptOutput>
  : (this: This, context: Context<S>) => Awaitable<PromptOutput>

/** Checks the method that it is put on: its arguments against the schema. */
export type PromptDecorator<Args> = <This, S>(method: PromptMethod<This, Args, S>, context: MethodContext<This>) => void

/**
 * Makes a method a prompt: `@prompt({ args }) review(args: …, context)`. TypeScript checks the parameter against the
 * schema, but cannot infer it: annotate it, or use the field form.
 */
export function prompt<Args extends Schema | undefined = undefined, S = unknown>(
  definition?: NamedPrompt<Args, S>,
): PromptDecorator<Args>
/** Makes a field a prompt and infers its arguments: `review = prompt({ args }, ({ topic }) => …)`. */
export function prompt<Args extends Schema | undefined = undefined, S = unknown>(
  definition: NamedPrompt<Args, S>,
  handler: PromptMethod<unknown, Args, S>,
): Field
export function prompt(
  definition: NamedPrompt<Schema | undefined> = {},
  handler?: (...args: never[]) => unknown,
): unknown {
  requireParentheses('prompt', definition)
  if (handler !== undefined) return createField({ kind: 'prompt', definition, handler })
  return (_method: unknown, context: AnyContext): void =>
    declare(context, { kind: 'prompt', key: context.name ?? '', definition })
}

/**
 * Makes a method a prompt whose arguments `npx herma-gen` takes from its types and JSDoc; they are strings, as prompts
 * have no others. The class needs `@generated(…)` with what was written.
 */
prompt.auto = function auto<S = unknown>(definition: Omit<NamedPrompt<undefined, S>, 'args'> = {}) {
  return <This>(
    _method: (this: This, ...args: never[]) => Awaitable<PromptOutput>,
    context: MethodContext<This>,
  ): void => declare(context, { kind: 'prompt', key: context.name, definition, isAuto: true })
}
