export { matrix, type MatrixOptions } from './matrix.ts'
export type {
  CallArguments,
  Called,
  CallOptions,
  CompletionOf,
  Logged,
  Notified,
  Progressed,
  Question,
  TestClient,
} from './test-client.ts'
export type { Ask, AskReply, SampleReply, TestOptions } from './test-options.ts'
export { test } from './test.ts'
