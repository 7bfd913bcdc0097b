import type { Awaitable, ResourceDefinition, ResourceHandler, ResourceOutput } from '../component/define.ts'
import type { UriVariables } from '../component/uri-variables.ts'
import type { Context } from '../context/context.ts'
import { type AnyContext, declare, type MethodContext } from './declaration.ts'
import { createField, type Field } from './field.ts'

/** Checks the method that it is put on: its variables against those of the URI template. */
export type ResourceDecorator<Uri extends string> = <This, S>(
  method: (
    this: This,
    variables: UriVariables<Uri>,
    context: Context<S> & { readonly uri: URL },
  ) => Awaitable<ResourceOutput>,
  context: MethodContext<This>,
) => void

/**
 * Makes a method a resource, or a template when the URI has variables: `@resource('note://{id}') one({ id }: { id: string })`.
 * The variables come first even where there are none, as with the builder.
 */
export function resource<const Uri extends string, S = unknown>(
  uri: Uri,
  definition?: ResourceDefinition<S>,
): ResourceDecorator<Uri>
/** Makes a field a resource and infers its variables: `one = resource('note://{id}', {}, ({ id }) => …)`. */
export function resource<const Uri extends string, S = unknown>(
  uri: Uri,
  definition: ResourceDefinition<S>,
  handler: ResourceHandler<Uri, S>,
): Field
export function resource(
  uri: string,
  definition: ResourceDefinition = {},
  handler?: (...args: never[]) => unknown,
): unknown {
  if (handler !== undefined) return createField({ kind: 'resource', uri, definition, handler })
  return (_method: unknown, context: AnyContext): void =>
    declare(context, { kind: 'resource', key: context.name ?? '', uri, definition })
}
