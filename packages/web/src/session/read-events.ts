import type { ChatEvent } from '@herma/contract'

/** The events of a turn as they come over the wire. */
export async function* readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<ChatEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const frames = (rest + value).split('\n\n')
      rest = frames.pop() ?? ''
      for (const frame of frames) {
        const data = frame.split('\n').find((line) => line.startsWith('data: '))
        if (data !== undefined) yield JSON.parse(data.slice('data: '.length)) as ChatEvent
      }
    }
  } finally {
    // Whoever stops reading early lets go of the connection too.
    void reader.cancel().catch(() => undefined)
  }
}
