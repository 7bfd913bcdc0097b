export { openTrace, type OpenTrace, type OpenTraceOptions } from './open-trace.ts'
export { Replays } from './replay-desk.ts'
export type { Masks } from './recorder.ts'
