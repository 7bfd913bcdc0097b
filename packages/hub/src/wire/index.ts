export { findRepeatedKey, listMembers } from './json/json-places.ts'
export { AnswerTail } from './message/answer-tail.ts'
export {
  beginsWithResult,
  peekAnswerId,
  piecesLength,
  piecesToBuffer,
  rewriteAnswer,
  rewriteHead,
  rewriteModernAnswer,
  rewriteModernHead,
  type Pieces,
} from './message/answer.ts'
export type { Descriptor } from './descriptor.ts'
export { canonicalJson, canonicalText, findLosses, type Loss } from './json/canonical-json.ts'
export {
  keepText,
  markElements,
  markMembers,
  RawJson,
  readJson,
  rememberMembers,
  sourceOf,
  textAt,
  textOf,
  toOneLine,
  writeJson,
} from './json/json-text.ts'
export { progressTokenFor, writeRequest } from './message/write-request.ts'
export { facadeName, pathOfServer, sessionOf, sessionServer } from './server-name.ts'
export {
  progressTokenOf,
  type Answer,
  type Call,
  type Caller,
  type Outcome,
  type Question,
  type CallRunner,
} from './message/call.ts'
export {
  enterServer,
  handTo,
  isAtWork,
  pathMeta,
  readCallPath,
  readPathHeaders,
  sessionAtWork,
  toPathHeaders,
  writeCallPath,
  type CallPath,
} from './call-path.ts'
export type { WorkContext } from './work-context.ts'
export { canBeAsked, lacking, relayedCapabilities, toRelayed, type Capabilities } from './era/client-capabilities.ts'
export { decodeHeaderValue, encodeHeaderValue } from '@herma/framework/wire'
export { jsonProblem } from '@herma/framework/wire'
export { isLogLevel, lowerLevel, passesLog, requestedLevel } from './log-level.ts'
export {
  isNotification,
  isRequest,
  isRequestId,
  idTextOf,
  toIdKey,
  toIdValue,
  UnreadMessage,
  parseJson,
  toMessage,
  type Message,
  type NotificationMessage,
  type Params,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
  type RpcError,
} from './message/message.ts'
export { isObject, metaKeys, metaOf, type Meta } from '@herma/framework/wire'
export { namedParams, streamHeaders } from '@herma/framework/wire'
export { isNestedTooDeep, maxNesting } from '@herma/framework/wire'
export { paramHeaderProblem } from '@herma/framework/wire'
export { checkParamHeaders, findParamHeaders, mirrorParams, type ParamHeader } from '@herma/framework/wire'
export { localOperator, operator } from './principal.ts'
export { eraOf, isLegacyRevision, legacyRevisions, modernRevision, revisions, type Era } from './revision.ts'
export { SseParser, type SseEvent } from './message/sse-parser.ts'
export { translateError, urlElicitationRequired } from './era/translate-error.ts'
export { translateAnswer, translateQuestion } from './era/translate-question.ts'
export { inputMethods, readInputRequired, withQuestionParams, type InputRequired } from './message/input-required.ts'
export { isUnknownError, mentionsUnknown, readAnswerError } from './message/answer-error.ts'
export { WholeAnswerCall } from './whole-answer-call.ts'
export { errorResult, type ContentBlock, type ToolResult } from './message/tool-result.ts'
export { readArguments } from './read-arguments.ts'
