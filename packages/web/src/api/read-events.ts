/** One event of a stream: https://html.spec.whatwg.org/multipage/server-sent-events.html as far as the hub writes it. */
export interface StreamEvent {
  readonly name: string
  readonly data: string
}

/** The events of an answer as they come over the wire. */
export async function* readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<StreamEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const frames = (rest + value).split('\n\n')
      rest = frames.pop() ?? ''
      for (const frame of frames) {
        const event = readFrame(frame)
        if (event !== null) yield event
      }
    }
  } finally {
    // Whoever stops reading early lets go of the connection too.
    void reader.cancel().catch(() => undefined)
  }
}

function readFrame(frame: string): StreamEvent | null {
  const lines = frame.split('\n')
  const data = lines.find((line) => line.startsWith('data: '))
  const name = lines.find((line) => line.startsWith('event: '))
  if (data === undefined) return null
  return { name: name?.slice('event: '.length) ?? 'message', data: data.slice('data: '.length) }
}
