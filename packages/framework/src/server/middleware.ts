import type {
  InputRequiredResult,
  JSONRPCRequest,
  RequestTypeMap,
  Result,
  ResultTypeMap,
} from '@modelcontextprotocol/server'
import type { AnyType } from '../component/define.ts'
import type { Context } from '../context/context.ts'

/** A method that the protocol defines. */
export type Method = Extract<keyof RequestTypeMap, keyof ResultTypeMap>

/** The request of a method, its params typed where the revision defines them. */
export type RequestOf<M extends string> = M extends Method
  ? JSONRPCRequest & {
      readonly method: M
      readonly params: NonNullable<RequestTypeMap[M] extends { params?: infer P } ? P : never>
    }
  : JSONRPCRequest

/** The result of a method. Towards modern clients it may also be the questions that must be answered first. */
export type ResultOf<M extends string> = M extends Method ? ResultTypeMap[M] | InputRequiredResult : Result

/**
 * Runs around requests. `next` goes on, with another request if one is given; what it returns may be changed or replaced.
 * Leave things for handlers in `context.locals`: another context for `next` can only come from the framework itself.
 * Towards modern clients a handler that asks runs again for each answer, and so does what is around it.
 */
export type Middleware<M extends string = string> = (
  request: RequestOf<M>,
  next: (request?: JSONRPCRequest, context?: Context<AnyType>) => Promise<ResultOf<M>>,
  context: Context<AnyType>,
) => Promise<Result> | Result

interface Entry {
  readonly method: string | undefined
  readonly run: Middleware
}

type Last<C> = (request: JSONRPCRequest, context: C) => Promise<Result>

/** The middleware of a server, in the order in which it was added, outermost first. */
export class MiddlewareChain {
  readonly #entries: Entry[] = []

  add(method: string | undefined, run: Middleware): void {
    this.#entries.push({ method, run })
  }

  run<C extends Context>(request: JSONRPCRequest, context: C, last: Last<C>): Promise<Result> {
    return this.#entries.length === 0 ? last(request, context) : this.#from(0, request, context, last)
  }

  async #from<C extends Context>(index: number, request: JSONRPCRequest, context: C, last: Last<C>): Promise<Result> {
    const entry = this.#entries[index]
    if (entry === undefined) return last(request, context)
    const next = (changed = request, other = context) => this.#from(index + 1, changed, other, last)
    if (entry.method !== undefined && entry.method !== request.method) return next()
    return entry.run(request, next as never, context)
  }
}
