import { HubError, type ErrorCode } from '@herma/contract'

/** A provider that did not answer as it should. */
export class ProviderError extends HubError {
  /** The same question may be answered a moment later. */
  readonly isRetryable: boolean
  /** What the provider wants us to wait. */
  readonly retryAfterMs: number | null

  constructor(code: ErrorCode, message: string, options: ProviderErrorOptions = {}) {
    const { retryAfterMs = null, isRetryable = false } = options
    const data = retryAfterMs === null ? undefined : { retryAfterMs }
    super(code, message, { cause: options.cause, data })
    this.name = 'ProviderError'
    this.isRetryable = isRetryable
    this.retryAfterMs = retryAfterMs
  }
}

interface ProviderErrorOptions {
  readonly cause?: unknown
  readonly isRetryable?: boolean
  readonly retryAfterMs?: number | null
}

export interface ProviderName {
  /** For people: `openai`, or the address of a server of one's own. */
  readonly name: string
  /** The secret that holds the key, for what is said when the key is refused. */
  readonly secretName?: string | undefined
  /** Takes keys out of a text. */
  readonly mask?: ((text: string) => string) | undefined
}

/**
 * What went wrong, in one of our codes, whatever library and provider it comes from. The library's own error is not
 * kept: it holds the whole request with its prompt, which must not end up in a log.
 */
export function toProviderError(error: unknown, provider: ProviderName): ProviderError {
  if (error instanceof ProviderError) return error
  const hubError = findHubError(error)
  if (hubError !== null) return new ProviderError(hubError.code, hubError.message, { cause: hubError })
  const failure = error as Failure
  const text = shorten(provider.mask?.(messageOf(failure)) ?? messageOf(failure))
  if (isWrongKey(failure)) return new ProviderError('PROVIDER_UNAUTHORIZED', wrongKey(provider, text))
  const status = statusOf(failure)
  const retryAfterMs = status === undefined ? null : findRetryAfter(failure)
  if (status === 429 && isOutOfQuota(failure)) {
    const next = 'Look at the plan and the billing of the account.'
    return new ProviderError('PROVIDER_OVERLOADED', `${provider.name} has no quota left: ${text} ${next}`, {
      retryAfterMs,
    })
  }
  if (status === 429 || status === 503 || status === 529) {
    const message = `${provider.name} is overloaded or wants fewer requests (${status}): ${text} Try again later.`
    return new ProviderError('PROVIDER_OVERLOADED', message, { isRetryable: true, retryAfterMs })
  }
  if (status === 408 || status === 504) {
    const message = `${provider.name} took too long (${status}): ${text} Try again later.`
    return new ProviderError('PROVIDER_TIMEOUT', message, { isRetryable: true, retryAfterMs })
  }
  if (status === 404) {
    const next = 'Check the name of the model and the base URL.'
    return new ProviderError('PROVIDER_FAILED', `${provider.name} does not know it (404): ${text} ${next}`)
  }
  if (status !== undefined && status >= 400) {
    const isRetryable = status >= 500 || status === 409
    return new ProviderError('PROVIDER_FAILED', `${provider.name} failed (${status}): ${text}`, {
      isRetryable,
      retryAfterMs,
    })
  }
  return toConnectionError(failure, { ...provider, text })
}

interface Failure {
  readonly message?: unknown
  readonly type?: unknown
  readonly code?: unknown
  readonly statusCode?: unknown
  readonly responseBody?: unknown
  readonly responseHeaders?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

function toConnectionError(failure: Failure, { name, text }: ProviderName & { text: string }): ProviderError {
  const code = findCode(failure)
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return new ProviderError('PROVIDER_TIMEOUT', `${name} stopped answering. Try again later.`)
  }
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return new ProviderError('PROVIDER_TIMEOUT', `${name} could not be reached in time. Check its address.`, {
      isRetryable: true,
    })
  }
  if (code !== null && /^(E[A-Z]+|UND_ERR_SOCKET|UND_ERR_CLOSED|ERR_TLS_\w+|CERT_\w+|\w+_CERT\w*)$/.test(code)) {
    const message = `${name} could not be reached, or hung up (${code}). Check its address, and that it runs.`
    return new ProviderError('PROVIDER_FAILED', message, {
      isRetryable: !code.includes('CERT') && !code.includes('TLS'),
    })
  }
  return new ProviderError('PROVIDER_FAILED', `${name} answered in a way that cannot be read: ${text}`)
}

/** Errors come wrapped: fetch wraps ours, and adapters wrap what fetch throws. */
function* causes(error: unknown): Generator {
  let current = error
  for (let depth = 0; depth < 8 && current !== undefined && current !== null; depth++) {
    yield current
    current = (current as Failure).cause
  }
}

function findHubError(error: unknown): HubError | null {
  for (const cause of causes(error)) if (cause instanceof HubError) return cause
  return null
}

function findCode(error: Failure): string | null {
  for (const cause of causes(error)) {
    const { code } = cause as Failure
    if (typeof code === 'string') return code
  }
  return null
}

function messageOf(failure: Failure): string {
  const { message } = failure
  const text = typeof message === 'string' && message !== '' ? message : typeof failure === 'string' ? failure : ''
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** Statuses of events inside of a stream are words. */
function statusOf({ statusCode, type, code }: Failure): number | undefined {
  if (typeof statusCode === 'number') return statusCode
  const word = [type, code].filter((value) => typeof value === 'string').join(' ')
  if (/overloaded/.test(word)) return 529
  if (/rate_limit/.test(word)) return 429
  if (/authentication/.test(word)) return 401
  return /api_error|server_error/.test(word) ? 500 : undefined
}

function isWrongKey(failure: Failure): boolean {
  const status = statusOf(failure)
  if (status === 401 || status === 403) return true
  // Google takes a wrong key for a bad request.
  return status === 400 && bodyOf(failure).includes('API_KEY_INVALID')
}

function wrongKey({ name, secretName }: ProviderName, text: string): string {
  const next =
    secretName === undefined
      ? 'Give the session a secret that holds a key of this provider.'
      : `Set another one: herma secret set ${secretName}`
  return `${name} refused the key: ${text} ${next}`
}

function isOutOfQuota(failure: Failure): boolean {
  return bodyOf(failure).includes('insufficient_quota')
}

function bodyOf({ responseBody }: Failure): string {
  return typeof responseBody === 'string' ? responseBody : ''
}

function findRetryAfter(failure: Failure): number | null {
  const headers = failure.responseHeaders ?? {}
  const milliseconds = Number(headers['retry-after-ms'] ?? Number.NaN)
  if (milliseconds >= 0) return milliseconds
  const after = headers['retry-after']
  if (after !== undefined) {
    const delayMs = /^\d+(\.\d+)?$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now()
    if (!Number.isNaN(delayMs)) return Math.max(0, Math.round(delayMs))
  }
  // https://cloud.google.com/apis/design/errors: a RetryInfo in the body.
  const told = /"retryDelay":\s*"(\d+(?:\.\d+)?)s"/.exec(bodyOf(failure))?.[1]
  return told === undefined ? null : Number(told) * 1000
}

const maxTextLength = 300

/** Keys that providers repeat in their answers, by the look of them. */
const keyLike = /\b((sk|pk|rk|gsk|xai)[-_][A-Za-z0-9_*-]{8,}|AIza[A-Za-z0-9_*-]{20,}|ya29\.[A-Za-z0-9_*-]{10,})/g

function shorten(text: string): string {
  const plain = text.replaceAll(/\s+/g, ' ').replaceAll(keyLike, '[masked]')
  return plain.length <= maxTextLength ? plain : `${plain.slice(0, maxTextLength)}…`
}
