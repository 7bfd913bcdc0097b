import { addresses } from './addresses.ts'
import type { Api } from './table.ts'
import type { ApiAnswerOf, ApiRequestOf } from './operation.ts'

export { loginProof } from '../access/login-proof.ts'

/** A request to the management API as it goes over the wire. */
export interface WireRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly body: unknown
}

/** Sends a request and gives the parsed body of its answer, or throws what its users expect. */
export type SendRequest<Options> = (request: WireRequest, options?: Options) => Promise<unknown>

/** Every operation of the management API as a function. */
export type ApiClient<Options> = {
  readonly [Name in keyof Api]: (
    ...given: Record<string, never> extends ApiRequestOf<Api[Name]>
      ? [request?: ApiRequestOf<Api[Name]>, options?: Options]
      : [request: ApiRequestOf<Api[Name]>, options?: Options]
  ) => Promise<ApiAnswerOf<Api[Name]>>
}

/** The hub and its clients are built together, so answers have the types of the table and are not checked again. */
export function createApiClient<Options>(send: SendRequest<Options>): ApiClient<Options> {
  const names = Object.keys(addresses) as (keyof Api)[]
  const call = (name: keyof Api) => (request?: object, options?: Options) => send(toWire(name, request ?? {}), options)
  return Object.fromEntries(names.map((name) => [name, call(name)])) as unknown as ApiClient<Options>
}

/** Where an operation is asked: for links, and for answers that are read as they come. */
export function apiPath<Name extends keyof Api>(
  name: Name,
  ...[request]: Record<string, never> extends ApiRequestOf<Api[Name]>
    ? [request?: ApiRequestOf<Api[Name]>]
    : [request: ApiRequestOf<Api[Name]>]
): string {
  return toWire(name, request ?? {}).path
}

function toWire(name: keyof Api, request: object): WireRequest {
  const { body, ...rest } = request as Record<string, unknown>
  const [method = '', template = ''] = addresses[name].split(' ')
  const path = template.replaceAll(/:(\w+)/g, (_, key: string) => {
    const value = String(rest[key])
    delete rest[key]
    return encodeURIComponent(value)
  })
  const asked = Object.entries(rest).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(asked.map(([key, value]): [string, string] => [key, String(value)])).toString()
  return { method, path: query === '' ? path : `${path}?${query}`, body }
}
