import type { LanguageModelV3 } from '@ai-sdk/provider'
import { HubError } from '@herma/contract'
import { guardModel } from './guard-model.ts'
import type { ModelSettings } from './model-settings.ts'

/**
 * The model of a session. The library of its provider is loaded on first use. Everything is said here: nothing is
 * taken from the hub's environment, whose keys are not the session's.
 */
export async function createModel(settings: ModelSettings, fetch: typeof globalThis.fetch): Promise<LanguageModelV3> {
  const model = await load(settings, fetch)
  const secrets = [settings.apiKey, ...Object.values(settings.headers ?? {})]
  return guardModel(model, {
    name: settings.baseUrl === undefined ? settings.provider : `${settings.provider} at ${hostOf(settings.baseUrl)}`,
    secretName: settings.secretName,
    mask: (text) => maskAll(text, secrets),
    // Threads are stored by us; what a provider stored as well could be gone, or somebody else's, a day later.
    ...(settings.provider === 'openai' && settings.api !== 'chat' && { providerOptions: { openai: { store: false } } }),
  })
}

async function load(settings: ModelSettings, fetch: typeof globalThis.fetch): Promise<LanguageModelV3> {
  const { provider, model, headers = {}, organization, project } = settings
  const common = { headers: { ...headers }, fetch }
  switch (provider) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai')
      const openai = createOpenAI({
        ...common,
        baseURL: settings.baseUrl ?? 'https://api.openai.com/v1',
        apiKey: keyOf(settings),
        ...(organization !== undefined && { organization }),
        ...(project !== undefined && { project }),
      })
      return settings.api === 'chat' ? openai.chat(model) : openai.responses(model)
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      const baseURL = settings.baseUrl ?? 'https://api.anthropic.com/v1'
      return createAnthropic({ ...common, baseURL, apiKey: keyOf(settings) })(model)
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
      const baseURL = settings.baseUrl ?? 'https://generativelanguage.googleapis.com/v1beta'
      return createGoogleGenerativeAI({ ...common, baseURL, apiKey: keyOf(settings) })(model)
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      if (settings.baseUrl === undefined) throw noAddress(model)
      const { apiKey, baseUrl } = settings
      const key = apiKey === undefined ? {} : { apiKey }
      return createOpenAICompatible({ ...common, ...key, name: provider, baseURL: baseUrl, includeUsage: true })(model)
    }
  }
}

/** A server of one's own may do without; the libraries would look for one in the environment. */
function keyOf({ apiKey, baseUrl, provider, secretName }: ModelSettings): string {
  if (apiKey !== undefined && apiKey !== '') return apiKey
  if (baseUrl !== undefined) return 'none'
  const how = secretName === undefined ? 'Give the session one.' : `Set it: herma secret set ${secretName}`
  throw new HubError('PROVIDER_UNAUTHORIZED', `There is no key for ${provider}. ${how}`)
}

function noAddress(model: string): HubError {
  return new HubError('INVALID_PARAMS', `'${model}' needs a base URL, such as http://127.0.0.1:11434/v1 for Ollama.`)
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}

const shortestSecret = 4

function maskAll(text: string, secrets: readonly (string | undefined)[]): string {
  return secrets.reduce<string>(
    (masked, secret) =>
      secret === undefined || secret.length < shortestSecret ? masked : masked.replaceAll(secret, '[masked]'),
    text,
  )
}
