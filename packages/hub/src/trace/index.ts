export { openTrace, type OpenTrace, type OpenTraceOptions } from './open-trace.ts'
export { Replays } from './replay/replays.ts'
export type { Masks } from './record/recorder.ts'
