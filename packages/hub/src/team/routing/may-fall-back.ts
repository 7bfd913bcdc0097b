import { HubError, type ErrorCode } from '@herma/contract'

/** What is wrong with the call itself, or with the folder that it is about: another member would find the same. */
const blameless: ReadonlySet<ErrorCode> = new Set([
  'INVALID_PARAMS',
  'INVALID_REQUEST',
  'FORBIDDEN',
  'PATH_REFUSED',
  'FILE_NOT_FOUND',
  'FILE_UNREADABLE',
  'FILE_TOO_LARGE',
  'WORKSPACE_CONFLICT',
  'CALL_CYCLE',
  'HOP_LIMIT',
])

/** Whether another member may be asked after one has failed like this: it is the member's fault, and nothing was changed. */
export function mayFallBack(error: unknown, hadEffect: (error: unknown) => boolean): boolean {
  return !(error instanceof HubError && blameless.has(error.code)) && !hadEffect(error)
}
