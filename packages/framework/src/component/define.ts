import type {
  CacheHint,
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  Icon,
  PromptMessage,
  ReadResourceResult,
  ToolAnnotations,
} from '@modelcontextprotocol/server'
import type { Context } from '../context/context.ts'
import type { Given, Parsed, Schema } from '../schema/schema.ts'
import type { UriVariables } from './uri-variables.ts'

/** What a server can offer; a template is a resource whose URI has variables. */
export type Kind = 'tool' | 'resource' | 'template' | 'prompt'

/** A value, or the promise of one. */
export type Awaitable<Value> = Value | Promise<Value>

/** What every component can say of itself. */
export interface Common<S = unknown> {
  readonly title?: string
  readonly description?: string
  readonly icons?: readonly Icon[]
  /** For `filter` of mounts; clients see them under `_meta`. */
  readonly tags?: readonly string[]
  readonly meta?: Readonly<Record<string, unknown>>
  /** Callers without all of these are challenged over HTTP and refused elsewhere. */
  readonly scopes?: readonly string[]
  /** False hides the component: it is neither listed nor found. */
  visible?(context: Context<S>): Awaitable<boolean>
}

/** What is said of a tool: its schemas decide the types of its handler. */
export interface ToolDefinition<
  Input extends Schema | undefined = undefined,
  Output extends Schema | undefined = undefined,
  S = unknown,
> extends Common<S> {
  readonly input?: Input
  readonly output?: Output
  readonly annotations?: ToolAnnotations
  /** Instead of the server's `timeoutMs`; 0 means none. A call by another tool spends the time of that one. */
  readonly timeoutMs?: number
  /** Never two calls of it at once on one connection, whatever the server's concurrency. */
  readonly exclusive?: boolean
  /** Whether the call may, or must, run as a task that the client polls. */
  readonly task?: 'never' | 'allowed' | 'required'
}

/** What is said of a resource or template. */
export interface ResourceDefinition<S = unknown> extends Common<S> {
  readonly name?: string
  readonly mimeType?: string
  readonly cache?: CacheHint
  readonly size?: number
  /** Suggestions for the variables of a template. */
  readonly complete?: Readonly<Record<string, Completer>>
  /** The resources that a template stands for, as `resources/list` shows them. */
  list?(context: Context<S>): Awaitable<readonly { readonly uri: string; readonly name?: string }[]>
}

/** What is said of a prompt. Its arguments come as strings: let the schema convert them. */
export interface PromptDefinition<Args extends Schema | undefined = undefined, S = unknown> extends Common<S> {
  readonly args?: Args
  readonly complete?: Readonly<Record<string, Completer>>
}

/** Suggestions for an argument: a list to choose from, or a function of what is typed and of the other arguments. */
export type Completer =
  | readonly string[]
  | ((value: string, others: Readonly<Record<string, string>>) => Awaitable<readonly string[]>)

/** A result that says that the tool failed; no output schema applies to it. */
export type ErrorResult = CallToolResult & { readonly isError: true }

/**
 * What a tool may return: what its output schema takes, or, without one, anything that content can be made of.
 * Its fixed members stand outside of the condition, so that literals inside of them keep their types in every handler.
 */
export type ToolOutput<Output> =
  | ErrorResult
  | { readonly structured: Structured<Output>; readonly content: readonly ContentBlock[] }
  | (Output extends Schema ? Given<Output> : Unstructured)

type Structured<Output> = Output extends Schema ? Given<Output> : never

type Unstructured = string | number | boolean | null | undefined | void | ContentBlock | CallToolResult | Data

// Objects of any interface, which is written as JSON; a function has `call`, and cannot be sent.
type Data = { toString(): string; call?: never }

/** What a resource may return: text, bytes, either with a type of its own, or the whole result. */
export type ResourceOutput =
  | string
  | Uint8Array
  | { readonly text: string; readonly mimeType?: string }
  | { readonly blob: Uint8Array; readonly mimeType?: string }
  | ReadResourceResult

/** What a prompt may return: the text of one message of the user, messages, or the whole result. */
export type PromptOutput = string | readonly PromptMessage[] | GetPromptResult

/** Runs a tool, with arguments that its schema has checked. */
export type ToolHandler<Input, Output, S = unknown> = (
  args: Parsed<Input>,
  context: Context<S>,
) => Awaitable<ToolOutput<Output>>

/** Reads a resource, with the variables that its URI template names. */
export type ResourceHandler<Uri extends string, S = unknown> = (
  variables: UriVariables<Uri>,
  context: Context<S> & { readonly uri: URL },
) => Awaitable<ResourceOutput>

/** Writes a prompt, with arguments that its schema has checked. */
export type PromptHandler<Args, S = unknown> = (args: Parsed<Args>, context: Context<S>) => Awaitable<PromptOutput>

/** The types of a tool, kept so that the testing kit and mounts can check calls. */
export interface ToolSignature<Input = unknown, Output = unknown> {
  readonly args: Given<Input>
  readonly result: Output extends Schema ? Parsed<Output> : undefined
}

/** The tools of a server by name, as types. */
export type Tools = Record<string, { readonly args: AnyType; readonly result: AnyType }>

/** Stands where a type is both given and taken and nothing depends on it, which `unknown` and `never` each allow half. */
// oxlint-disable-next-line typescript/no-explicit-any -- The one place of it in the framework.
export type AnyType = any
