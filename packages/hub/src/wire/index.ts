export { peekAnswerId, piecesLength, piecesToBuffer, rewriteAnswer, rewriteHead, type Pieces } from './answer.ts'
export { progressTokenOf, type Call, type Caller, type Outcome, type Question, type Runner } from './call.ts'
export { decodeHeaderValue, encodeHeaderValue } from './header-value.ts'
export { jsonProblem } from './json-problem.ts'
export {
  isNotification,
  isRequest,
  isRequestId,
  parseJson,
  toMessage,
  type Message,
  type NotificationMessage,
  type Params,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
  type RpcError,
} from './message.ts'
export { isObject, metaKeys, metaOf, type Meta } from './meta.ts'
export { isNestedTooDeep, maxNesting } from './nesting.ts'
export { checkParamHeaders, findParamHeaders, mirrorParams, type ParamHeader } from './param-headers.ts'
export { eraOf, isLegacyRevision, legacyRevisions, modernRevision, revisions, type Era } from './revision.ts'
export { SseParser, type SseEvent } from './sse-parser.ts'
