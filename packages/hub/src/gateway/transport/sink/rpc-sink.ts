import { HttpSink } from './http-sink.ts'

/** A response that is one JSON object, however long it takes: what comes before the answer is not sent. */
export class RpcSink extends HttpSink {
  override send(): boolean {
    return true
  }

  override beat(): void {
    // There is nothing that could carry a sign of life.
  }
}
