export {
  BufferBudget,
  freeBytes,
  type BufferLimits,
  type ClientCut,
  type Reservation,
} from '../buffer/buffer-budget.ts'
export { ExpiringMap } from '../buffer/expiring-map.ts'
export { ResponseWriter, type ClientResponse, type ResponseStream } from '../buffer/response-writer.ts'
export { decodeHeaderValue, encodeHeaderValue } from './header-value.ts'
export { jsonProblem } from './json-problem.ts'
export { LineReader, type LongLine, type LongLineHandler } from './line-reader.ts'
export { isObject, metaKeys, metaOf, type Meta } from './meta.ts'
export { namedParams } from './named-params.ts'
export { isNestedTooDeep, maxNesting } from './nesting.ts'
export { paramHeaderProblem } from './param-header-problem.ts'
export { checkParamHeaders, findParamHeaders, mirrorParams, type ParamHeader } from './param-headers.ts'
export { histogramLines, metricText, sampleLine, type Labels } from './prometheus-text.ts'
export { streamHeaders } from './stream-headers.ts'
