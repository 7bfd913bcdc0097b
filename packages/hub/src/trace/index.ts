export { openTrace, type OpenTrace, type OpenTraceOptions } from './open-trace.ts'
export { ReplayDesk } from './replay-desk.ts'
export type { Masks } from './recorder.ts'
