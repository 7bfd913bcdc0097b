import type { Principal } from '@herma/contract'
import type { z } from 'zod'

import type { StartStream } from './answer-stream.ts'

/** One operation of the management API, as data: the router serves it and the OpenAPI document describes it. */
export interface Route {
  /** Name of the operation in the OpenAPI document. */
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** For example `/api/connectors/:name`. */
  readonly path: string
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** The longest body; absent = 1 MiB. */
  readonly bodyLimitBytes?: number
  /** Whether it is open to everybody; what it does must then be safe in the hands of anybody. */
  readonly isPublic?: boolean
  /** What a success looks like, by status. Every route may also answer with a Problem. */
  readonly responses: Readonly<Record<number, RouteResponse>>
  handle(request: ApiRequest<unknown, unknown, unknown>): ApiAnswer | Promise<ApiAnswer>
}

export interface RouteResponse {
  readonly description: string
  readonly schema?: z.ZodType
}

export interface ApiRequest<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  /** The body with its defaults filled in. */
  readonly body: Body
  /** The body as it was sent; it has passed validation but holds no defaults. */
  readonly sent: unknown
  readonly principal: Principal
}

export interface ApiAnswer {
  readonly status: number
  readonly body?: unknown
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

interface Definition<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> extends Omit<
  Route,
  'params' | 'query' | 'body' | 'handle'
> {
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  handle(request: ApiRequest<z.output<Params>, z.output<Query>, z.output<Body>>): ApiAnswer | Promise<ApiAnswer>
}

/** Ties the types of the schemas to those that `handle` receives. */
export function defineRoute<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodUndefined,
>(definition: Definition<Params, Query, Body>): Route {
  return definition
}
