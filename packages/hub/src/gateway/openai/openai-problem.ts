import { errorCodes, type ErrorCode, type HubError } from '@herma/contract'
import { isObject } from '../../wire/index.ts'

/** An error as OpenAI's clients know it, with the status that they act by. */
export interface OpenAiProblem {
  readonly status: number
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string
  }
  /** Whether asking again may help; clients ask again on their own after most failures. */
  readonly isTransient: boolean
  readonly retryAfterMs: number | null
}

export function toOpenAiProblem({ code, message, data }: HubError): OpenAiProblem {
  const status = statuses[code] ?? errorCodes[code].http
  const fields = isObject(data) ? data : {}
  const { param, retryAfterMs } = fields
  return {
    status,
    error: {
      message,
      type: typeOf(status),
      param: typeof param === 'string' && param !== '' ? param : notFound.has(code) ? 'model' : null,
      code: notFound.has(code) ? 'model_not_found' : (codes[code] ?? code.toLowerCase()),
    },
    isTransient: transient.has(code),
    retryAfterMs: typeof retryAfterMs === 'number' ? retryAfterMs : null,
  }
}

/** Sessions are the models here. */
const notFound: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['SESSION_NOT_FOUND', 'SERVER_NOT_FOUND'])
/** A client takes a conflict for something to try again, and a session that is not ready is one that is not there. */
const statuses: Partial<Record<ErrorCode, number>> = {
  SESSION_UNREADY: 503,
  THREAD_NOT_FOUND: 400,
  WORKSPACE_CONFLICT: 500,
  CANCELLED: 503,
  CALL_CYCLE: 400,
  HOP_LIMIT: 400,
}
const codes: Partial<Record<ErrorCode, string>> = {
  UNAUTHENTICATED: 'invalid_api_key',
  RATE_LIMITED: 'rate_limit_exceeded',
  THREAD_NOT_FOUND: 'previous_response_not_found',
}
const transient: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'RATE_LIMITED',
  'OVERLOADED',
  'QUEUE_FULL',
  'PROVIDER_OVERLOADED',
  'STORE_UNAVAILABLE',
])

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}
