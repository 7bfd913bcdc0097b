import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  SharedV3Warning,
} from '@ai-sdk/provider'
import { HubError } from '@herma/contract'
import { isObject, type Answer, type Question } from '../../../wire/index.ts'
import { readSamplingResult } from './read-sampling-result.ts'
import { toSamplingParams } from './to-sampling-params.ts'

export interface SamplingOptions {
  /** Asks the client that called; see Call.ask. */
  ask(question: Question, signal: AbortSignal): Promise<Answer>
  /** What the client can do, as it declared it. */
  readonly capabilities: Readonly<Record<string, unknown>>
  /** Models that would suit; the client chooses. */
  readonly modelHints?: readonly string[] | undefined
}

/**
 * The model of the client that called, as a model of ours.
 * https://modelcontextprotocol.io/specification/2025-11-25/client/sampling
 * It cannot stream, and a client that does not declare `sampling.tools` gets none.
 */
export function createSamplingModel(options: SamplingOptions): LanguageModelV3 {
  const sampling = options.capabilities['sampling']
  if (!isObject(sampling)) {
    throw new HubError(
      'CAPABILITY_MISSING',
      'This session works with the model of its client, and the client lends none: it does not declare `sampling`. ' +
        'Use a client that does, or give the session a provider of its own.',
    )
  }
  const hasTools = isObject(sampling['tools'])
  const generate = async (request: LanguageModelV3CallOptions): Promise<LanguageModelV3GenerateResult> => {
    const params = toSamplingParams(request, { hasTools, modelHints: options.modelHints ?? [] })
    const signal = request.abortSignal ?? new AbortController().signal
    const { result, error } = await options.ask({ method: 'sampling/createMessage', params }, signal)
    if (error !== undefined) throw refused(error)
    return readSamplingResult(result, { params, warnings: hasTools ? [] : toolWarnings(request) })
  }
  return {
    specificationVersion: 'v3',
    provider: 'sampling.client',
    modelId: options.modelHints?.[0] ?? 'client',
    supportedUrls: {},
    doGenerate: generate,
    doStream: async (request) => ({ stream: toStream(await generate(request)) }),
  }
}

function toolWarnings({ tools = [] }: LanguageModelV3CallOptions): SharedV3Warning[] {
  if (tools.length === 0) return []
  const details = 'the client does not declare `sampling.tools`, so its model works without the tools of this session'
  return [{ type: 'unsupported', feature: 'tools', details }]
}

function refused({ code, message }: { readonly code: number; readonly message: string }): HubError {
  // https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#error-handling
  if (code === -1) return new HubError('PROVIDER_FAILED', 'The user of the client refused to lend its model.')
  return new HubError('PROVIDER_FAILED', `The client's model failed (${code}): ${message.slice(0, 300)}`)
}

/** The whole answer as one stream, since loops read streams. */
function toStream({ content, usage, finishReason, warnings }: LanguageModelV3GenerateResult) {
  return new ReadableStream<LanguageModelV3StreamPart>({
    start(controller) {
      controller.enqueue({ type: 'stream-start', warnings })
      content.forEach((part, index) => {
        const id = String(index)
        if (part.type === 'tool-call') controller.enqueue(part)
        if (part.type !== 'text') return
        controller.enqueue({ type: 'text-start', id })
        controller.enqueue({ type: 'text-delta', id, delta: part.text })
        controller.enqueue({ type: 'text-end', id })
      })
      controller.enqueue({ type: 'finish', usage, finishReason })
      controller.close()
    },
  })
}
