import { askModern, type ModernRequest } from '../../mcp-client/index.ts'
import { isObject } from '../../wire/index.ts'
import { sendRequest } from '../hub/send-request.ts'
import { CliError, exitCodes } from '../terminal/exit-codes.ts'
import { version } from './version.ts'

export type McpRequest = Pick<ModernRequest, 'method' | 'params' | 'headers' | 'signal' | 'onNotification'>

/** An error answer of the MCP endpoint. */
export class RpcFailure extends CliError {
  readonly rpcCode: number
  readonly rpcMessage: string

  constructor(rpcCode: number, message: string) {
    super(exitCodes.downstreamFailed, `${message} (code ${rpcCode})`, { code: `RPC_${rpcCode}` })
    this.rpcCode = rpcCode
    this.rpcMessage = message
  }
}

let lastId = 0

/** Sends one stateless request to an endpoint of the hub and returns its result; progress arrives on the way. */
export async function requestMcp(endpoint: URL, request: McpRequest): Promise<Record<string, unknown>> {
  const { status, message, hasEnded } = await askModern(sendRequest, {
    ...request,
    id: ++lastId,
    url: endpoint,
    clientInfo: { name: 'herma', version },
  })
  if (hasEnded) throw new CliError(exitCodes.downstreamFailed, 'The stream ended without an answer.')
  if (message === null)
    throw new CliError(exitCodes.failed, `The endpoint answered with status ${status} and no MCP message.`)
  return resultOf(message, status)
}

function resultOf(message: Record<string, unknown>, status: number): Record<string, unknown> {
  const { error, result } = message
  if (isObject(error)) {
    // The management API's own form comes back where the endpoint refuses before it reads a message.
    const code = typeof error['code'] === 'number' ? error['code'] : status
    throw new RpcFailure(code, typeof error['message'] === 'string' ? error['message'] : 'The call failed.')
  }
  if (!isObject(result))
    throw new CliError(exitCodes.failed, `The endpoint answered with status ${status} and no result.`)
  return result
}
