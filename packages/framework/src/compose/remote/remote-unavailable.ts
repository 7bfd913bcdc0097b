/** A remote server that cannot be reached now. */
export class RemoteUnavailable extends Error {
  override readonly name = 'RemoteUnavailable'
  constructor(label: string, reason: unknown) {
    super(`The remote server '${label}' is not available: ${shortReason(reason)}.`)
  }
}

/** A message could not be sent, or its answer did not come. */
export class LinkFailure extends Error {
  override readonly name = 'LinkFailure'
  constructor(cause: unknown) {
    super(shortReason(cause), { cause })
  }

  /** The server does not know the session any more, so it did nothing yet. */
  get isForgotten(): boolean {
    return statusOf(this.cause) === 404
  }

  /** Whether nothing can be sent on this connection any more. */
  get isLoss(): boolean {
    return this.isForgotten || networkCode(this.cause) !== undefined
  }
}

const maxReasonLength = 200

/** Why, in few words: the code of the network or the status of HTTP say more than what is wrapped around them. */
function shortReason(reason: unknown): string {
  if (typeof reason === 'string') return reason
  const code = networkCode(reason)
  if (code !== undefined) return code
  const status = statusOf(reason)
  if (status !== undefined) return `it answered with HTTP ${status}`
  const text = reason instanceof Error ? reason.message : String(reason)
  return text.replace(/[\s.]+$/, '').slice(0, maxReasonLength)
}

function networkCode(reason: unknown): string | undefined {
  let error = reason as { code?: unknown; cause?: unknown } | undefined
  for (let depth = 0; depth < 4 && typeof error === 'object' && error !== null; depth++) {
    if (typeof error.code === 'string' && /^(E[A-Z]+|UND_ERR_\w+)$/.test(error.code)) return error.code
    error = error.cause as typeof error
  }
  return undefined
}

function statusOf(error: unknown): number | undefined {
  const status = (error as { data?: { status?: unknown } } | undefined)?.data?.status
  return typeof status === 'number' ? status : undefined
}
