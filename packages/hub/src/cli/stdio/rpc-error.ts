import { errorCodes, HubError } from '@herma/contract'

import { jsonProblem, type RpcError } from '../../wire/index.ts'

/** An error as the client is told it. */
export function toRpcError(error: unknown): RpcError {
  if (!(error instanceof HubError)) {
    return { code: errorCodes.INTERNAL.rpc, message: `The bridge failed: ${(error as Error).message}` }
  }
  const { rpc } = errorCodes[error.code]
  if (error.code === 'PARSE_ERROR') return { code: rpc, message: `The line is not JSON: ${jsonProblem(error.cause)}` }
  return { code: rpc, message: error.message, ...(error.data !== undefined && { data: error.data }) }
}
