import type { ChatEvent, ThreadDetail, ThreadView } from '@herma/contract'

/** A person, or a program, that talks to one session of a hub. */
export class ChatClient {
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>

  constructor(hubUrl: string, session: string, headers: Readonly<Record<string, string>>) {
    this.#base = `${hubUrl}/api/sessions/${session}`
    this.#headers = headers
  }

  async begin(title = ''): Promise<string> {
    const response = await this.request('POST', '/threads', { title })
    return ((await response.json()) as ThreadView).id
  }

  async get(thread: string): Promise<ThreadDetail> {
    return (await (await this.request('GET', `/threads/${thread}`)).json()) as ThreadDetail
  }

  /** Says something, and hears the whole turn. `onEvent` is called for each event as it comes. */
  async say(thread: string, text: string, onEvent?: (event: ChatEvent) => void): Promise<ChatEvent[]> {
    return readEvents(await this.request('POST', `/threads/${thread}/messages`, { text }), onEvent)
  }

  async follow(thread: string, onEvent?: (event: ChatEvent) => void): Promise<ChatEvent[]> {
    return readEvents(await this.request('GET', `/threads/${thread}/events`), onEvent)
  }

  request(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(this.#base + path, {
      method,
      headers: { ...this.#headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
    })
  }
}

async function readEvents(response: Response, onEvent: (event: ChatEvent) => void = () => {}): Promise<ChatEvent[]> {
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  const events: ChatEvent[] = []
  let rest = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const frames = (rest + chunk).split('\n\n')
    rest = frames.pop()!
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1]
      if (data === undefined) continue
      const event = JSON.parse(data) as ChatEvent
      events.push(event)
      onEvent(event)
    }
  }
  return events
}
