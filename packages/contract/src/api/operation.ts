import type { z } from 'zod'
import type { ErrorCode } from '../errors.ts'
import type { Role } from '../access/principal.ts'

/**
 * One operation of the management API, as data. Its name is its key in the table. The hub's router, the OpenAPI
 * document, who may use it, the typed client and the reference page come from it.
 */
export interface ApiOperation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** For example `/api/connectors/:name`. */
  readonly path: string
  /**
   * The least role that may use it; absent = a viewer looks (GET), an admin changes. `known` = everybody who is known at
   * all, whatever their key or token is for. `public` = everybody; what it does must be safe in the hands of anybody.
   */
  readonly role?: Role | 'known' | 'public'
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** The longest body; absent = 1 MiB. */
  readonly bodyLimitBytes?: number
  /** What a success looks like, by status; without a schema it has no body, or a stream or file. */
  readonly responses: Readonly<Record<number, ApiResponse>>
  /** Codes that callers may want to tell apart. Any operation may answer with others too. */
  readonly errors?: readonly ErrorCode[]
}

export interface ApiResponse {
  readonly description: string
  readonly schema?: z.ZodType
}

/** What comes back: the body of its response, undefined where there is none. */
export type ApiAnswerOf<Operation extends ApiOperation> = {
  [Status in keyof Operation['responses']]: Operation['responses'][Status] extends {
    readonly schema: infer Schema extends z.ZodType
  }
    ? z.output<Schema>
    : undefined
}[keyof Operation['responses']]

/** What a caller gives: the members of path and query in one object, and the body. */
export type ApiRequestOf<Operation extends ApiOperation> = PathOf<Operation> & QueryOf<Operation> & BodyOf<Operation>

type PathOf<Operation> = Operation extends { readonly params: infer Schema extends z.ZodObject }
  ? z.input<Schema>
  : unknown

// A query is text on the way: a caller gives the value that the hub will read from it.
type QueryOf<Operation> = Operation extends { readonly query: infer Schema extends z.ZodObject }
  ? {
      readonly [Key in keyof z.input<Schema>]: Key extends keyof z.output<Schema>
        ? z.output<Schema>[Key] | undefined
        : never
    }
  : unknown

type BodyOf<Operation> = Operation extends { readonly body: infer Schema extends z.ZodType }
  ? undefined extends z.input<Schema>
    ? { readonly body?: z.input<Schema> }
    : { readonly body: z.input<Schema> }
  : unknown
