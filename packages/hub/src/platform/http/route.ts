import type { Principal } from '@herma/contract'
import type { ApiAnswerOf, ApiOperation } from '@herma/contract/api'
import type { z } from 'zod'

import type { StartStream } from './answer-stream.ts'

export interface NamedOperation extends ApiOperation {
  /** Its name in the table and in the OpenAPI document. */
  readonly id: string
}

/** An operation of the management API with what does it. */
export interface Route extends NamedOperation {
  handle(request: ApiRequest<unknown, unknown, unknown>): Promise<ApiAnswer>
}

export interface ApiRequest<Params, Query, Body, Sent = unknown> {
  readonly params: Params
  readonly query: Query
  /** The body with its defaults filled in. */
  readonly body: Body
  /** The body as it was sent; it has passed validation but holds no defaults. */
  readonly sent: Sent
  readonly principal: Principal
}

export interface ApiAnswer extends ReplyExtras {
  readonly status: number
  readonly body?: unknown
}

/** What an answer may say besides its body. */
export interface ReplyExtras {
  /** Absent = the first response of the table. */
  readonly status?: number
  /** HTML for a person, in place of a body. */
  readonly page?: string
  /** Something to be saved under a name, in place of a body. */
  readonly file?: { readonly name: string; readonly type: string; readonly text: string }
  /** Server-sent events, in place of a body. */
  readonly stream?: StartStream
  readonly headers?: Readonly<Record<string, string>>
  /** Runs when the answer has left, for what would end the connection. */
  readonly afterwards?: () => void
}

/** The answer of a handler that has more to say than the body. */
export class Reply<Body = undefined> {
  readonly body: Body
  readonly extras: ReplyExtras

  constructor(body: Body, extras: ReplyExtras) {
    this.body = body
    this.extras = extras
  }

  static stream(start: StartStream): Reply {
    return new Reply(undefined, { stream: start })
  }
}

/** Does one operation: returns the body of its answer, which has to fit the schema in the table. */
export type Handler<Operation extends ApiOperation> = (
  request: RequestFor<Operation>,
) => Returned<Operation> | Promise<Returned<Operation>>

/** Ties operations of the table to what does them. An operation without a handler does not compile. */
export function serve<Operations extends Readonly<Record<string, ApiOperation>>>(
  operations: Operations,
  handlers: { readonly [Name in keyof Operations]: Handler<Operations[Name]> },
): Route[] {
  return Object.entries(operations).map(([id, operation]) => {
    const handler = handlers[id] as (request: unknown) => unknown
    const status = Number(Object.keys(operation.responses)[0])
    return { ...operation, id, handle: async (request) => toAnswer(status, await handler(request)) }
  })
}

function toAnswer(status: number, result: unknown): ApiAnswer {
  if (!(result instanceof Reply)) return { status, ...(result !== undefined && { body: result }) }
  const { body, extras } = result
  return { status, ...(body !== undefined && { body }), ...extras }
}

type RequestFor<Operation extends ApiOperation> = ApiRequest<
  OutputOf<Operation['params']>,
  OutputOf<Operation['query']>,
  OutputOf<Operation['body']>,
  Operation['body'] extends z.ZodType ? z.input<Operation['body']> : undefined
>

type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

type Returned<Operation extends ApiOperation> =
  ApiAnswerOf<Operation> extends undefined
    ? void | Reply
    : Frozen<ApiAnswerOf<Operation>> | Reply<Frozen<ApiAnswerOf<Operation>>>

/** What is only written out may be read-only. */
type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Frozen<Value[Key]> }
    : Value
