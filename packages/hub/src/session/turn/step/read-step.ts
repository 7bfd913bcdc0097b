import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider'
import { HubError } from '@herma/contract'
import { abortable } from '../abortable.ts'
import { StepParts, type StepPart } from './step-parts.ts'

export interface TurnStep {
  readonly parts: readonly StepPart[]
  readonly text: string
  readonly finishReason: LanguageModelV3FinishReason
  readonly usage: LanguageModelV3Usage
}

export interface StepListener {
  /** The first piece of an answer came: from here on, asking again would say things twice. */
  onOutput(): void
  onText(text: string): void
  onReasoning(text: string): void
  onWarning(text: string): void
}

/** Asks the model once and reads its answer to the end. An abort closes the socket. */
export async function readStep(
  model: LanguageModelV3,
  options: LanguageModelV3CallOptions & { readonly abortSignal: AbortSignal },
  listener: StepListener,
): Promise<TurnStep> {
  const signal = options.abortSignal
  const started = Promise.resolve(model.doStream(options))
  let reader: ReadableStreamDefaultReader<LanguageModelV3StreamPart>
  try {
    reader = (await abortable(started, signal)).stream.getReader()
  } catch (error) {
    // One that begins to answer at this very moment is not listened to; one that fails has nothing more to say.
    void started.then(({ stream }) => stream.cancel()).catch(() => undefined)
    throw error
  }
  const parts = new StepParts()
  try {
    for (;;) {
      const { done, value } = await abortable(reader.read(), signal)
      if (done) throw unfinished()
      if (value.type === 'error') throw value.error
      if (value.type === 'finish') {
        const end = toEnd(value)
        await abortable(drain(reader), signal)
        return { parts: parts.list, text: parts.text(), ...end }
      }
      tell(value, listener)
      parts.take(value)
    }
  } finally {
    // The answer was read to its end, or nobody wants the rest: a failure means nothing any more.
    void reader.cancel().catch(() => undefined)
  }
}

/** How long a provider may take to end a stream that has nothing more to say. */
const drainMs = 200

/** A socket whose answer was read to the end is used again; one that is closed costs a handshake. */
async function drain(reader: ReadableStreamDefaultReader<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<true>((resolve) => {
    timer = setTimeout(resolve, drainMs, true)
  })
  // What breaks behind the answer does not make it worse.
  const isOver = () =>
    reader.read().then(
      ({ done }) => done,
      () => true,
    )
  while (!(await Promise.race([isOver(), late])));
  clearTimeout(timer)
}

function tell(part: LanguageModelV3StreamPart, listener: StepListener): void {
  switch (part.type) {
    case 'stream-start':
      for (const warning of part.warnings) {
        listener.onWarning(
          warning.type === 'other' ? warning.message : [warning.feature, warning.details].filter(Boolean).join(': '),
        )
      }
      break
    case 'text-delta':
      listener.onOutput()
      if (part.delta !== '') listener.onText(part.delta)
      break
    case 'reasoning-delta':
      listener.onOutput()
      if (part.delta !== '') listener.onReasoning(part.delta)
      break
    case 'tool-input-start':
    case 'tool-call':
      listener.onOutput()
      break
    default:
  }
}

function toEnd({ finishReason, usage }: Extract<LanguageModelV3StreamPart, { type: 'finish' }>) {
  // Adapters end a stream that just stopped with a reason that no provider gave.
  if (finishReason.unified === 'other' && finishReason.raw === undefined) throw unfinished()
  if (finishReason.unified === 'error') {
    throw new HubError('PROVIDER_FAILED', `The model gave up: ${finishReason.raw ?? 'it did not say why'}. Try again.`)
  }
  return { finishReason, usage }
}

function unfinished(): HubError {
  return new HubError('PROVIDER_FAILED', 'The answer of the model ended in the middle. Try again.')
}
