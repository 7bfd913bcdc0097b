export { openTrace, type OpenTrace, type OpenTraceOptions } from './open-trace.ts'
export type { Masks } from './recorder.ts'
