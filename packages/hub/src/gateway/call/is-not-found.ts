import type { RpcError } from '../../wire/index.ts'

/** True for the ways in which servers say that they do not have a resource, so that another one can be asked. */
export function isNotFound(error: RpcError): boolean {
  return (
    error.code === -32002 ||
    error.code === -32601 ||
    (error.code === -32602 && /not found|unknown|no such/i.test(error.message))
  )
}
