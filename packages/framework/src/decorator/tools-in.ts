import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import type { ErrorResult, ToolSignature } from '../component/define.ts'
import type { Context } from '../context/context.ts'
import type { ToolField } from './field.ts'

/**
 * The tools of an instance with the types of their arguments and results. Fields are exact; a decorator leaves no trace
 * in a method's type, so every public method counts, by its own name and with the types that it is written with.
 */
export type ToolsIn<Instance> = {
  readonly [Key in keyof Instance as ToolName<Key, Instance[Key]>]: SignatureIn<Instance[Key]>
}

// The parts of a field's type are matched by `any`: they are on both sides of functions, where nothing else fits all.
// oxlint-disable-next-line typescript/no-explicit-any
type AnyToolField = ToolField<any, any, any>

type ToolName<Key, Member> = Member extends AnyToolField
  ? NonNullable<Member['toolName']> extends infer Name extends string
    ? [Name] extends [never]
      ? Key
      : Name
    : Key
  : Member extends (...args: never[]) => unknown
    ? Key
    : never

type SignatureIn<Member> =
  Member extends ToolField<infer Input, infer Output, infer _Name>
    ? ToolSignature<Input, Output>
    : Member extends (...args: infer Parameters) => infer Result
      ? { readonly args: ArgumentsIn<Required<Parameters>>; readonly result: ResultIn<Awaited<Result>> }
      : never

type IsContext<Type> = Type extends { readonly requestId: unknown; readonly connection: unknown } ? true : false

/** One object is the arguments; what has more parameters got their names from `herma-gen`, which types do not know. */
type ArgumentsIn<Parameters extends readonly unknown[]> = Parameters extends readonly []
  ? Record<string, never>
  : Parameters extends readonly [infer First, ...infer Rest]
    ? IsContext<First> extends true
      ? Record<string, never>
      : First extends object
        ? Rest extends readonly [] | readonly [Pick<Context, 'requestId'>]
          ? First
          : Record<string, unknown>
        : Record<string, unknown>
    : Record<string, unknown>

type ResultIn<Result> = Result extends ErrorResult
  ? never
  : Result extends { readonly structured: infer Value; readonly content: readonly ContentBlock[] }
    ? Value
    : Result extends string | undefined | void | ContentBlock | readonly ContentBlock[] | CallToolResult
      ? undefined
      : Result
