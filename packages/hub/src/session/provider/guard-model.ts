import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3StreamPart,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider'
import { toProviderError, type ProviderName } from '../turn/step/provider-error.ts'

export interface GuardOptions extends ProviderName {
  /** Sent with every question. */
  readonly providerOptions?: SharedV3ProviderOptions
}

/** A model whose failures are ours: with a code, the next step, and no key in them. */
export function guardModel(model: LanguageModelV3, { providerOptions, ...provider }: GuardOptions): LanguageModelV3 {
  const withOptions = (options: LanguageModelV3CallOptions) =>
    providerOptions === undefined
      ? options
      : { ...options, providerOptions: { ...providerOptions, ...options.providerOptions } }
  const guarded = async <T>(options: LanguageModelV3CallOptions, ask: () => PromiseLike<T>): Promise<T> => {
    try {
      return await ask()
    } catch (error) {
      throw options.abortSignal?.aborted === true ? error : toProviderError(error, provider)
    }
  }
  return {
    specificationVersion: 'v3',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => guarded(options, () => model.doGenerate(withOptions(options))),
    doStream: async (options) => {
      const { stream, ...rest } = await guarded(options, () => model.doStream(withOptions(options)))
      return { ...rest, stream: guardStream(stream, provider) }
    },
  }
}

/** Read part by part, so that whoever stops reading stops the provider. */
function guardStream(stream: ReadableStream<LanguageModelV3StreamPart>, provider: ProviderName) {
  const reader = stream.getReader()
  return new ReadableStream<LanguageModelV3StreamPart>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else
          controller.enqueue(
            value.type === 'error' ? { ...value, error: toProviderError(value.error, provider) } : value,
          )
      } catch (error) {
        controller.error(toProviderError(error, provider))
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
