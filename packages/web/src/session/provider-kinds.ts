import { usualKeySecrets, type ProviderKind } from '@herma/contract'

interface ProviderText {
  readonly label: string
  /** What choosing it means. */
  readonly hint: string
  /** What the name of a model looks like. */
  readonly model?: string
  /** The name under which its key is looked for when a session names none. */
  readonly usualKey?: string
  /** Whether it has a model of a name, an address, a key. */
  readonly has: ReadonlySet<'model' | 'baseUrl' | 'key' | 'temperature'>
}

const api = new Set(['model', 'baseUrl', 'key', 'temperature'] as const)

/** The seven kinds of providers in the words of the page. */
export const providerKinds: Readonly<Record<ProviderKind, ProviderText>> = {
  openai: {
    label: 'OpenAI',
    hint: 'Their models, with your API key.',
    model: 'gpt-5',
    usualKey: usualKeySecrets.openai,
    has: api,
  },
  anthropic: {
    label: 'Anthropic',
    hint: 'Their models, with your API key.',
    model: 'claude-sonnet-4-5',
    usualKey: usualKeySecrets.anthropic,
    has: api,
  },
  google: {
    label: 'Google',
    hint: 'Gemini models, with your API key.',
    model: 'gemini-2.5-pro',
    usualKey: usualKeySecrets.google,
    has: api,
  },
  'openai-compatible': {
    label: 'OpenAI-compatible',
    hint: 'Ollama, vLLM, llama.cpp and whatever else speaks like OpenAI, at an address of yours.',
    model: 'llama3.2',
    has: api,
  },
  sampling: {
    label: 'The client’s own model',
    hint: 'Whoever calls the session lends its model. Needs no key, and cannot be talked to from this page.',
    has: new Set(['temperature']),
  },
  command: {
    label: 'Agent on this machine',
    hint: 'A program such as codex or claude that is installed and signed in where the hub runs.',
    has: new Set(['model']),
  },
  mcp: {
    label: 'Tools of connectors',
    hint: 'No model at all: rules say which tool of which connector does the work.',
    has: new Set(),
  },
}

/** Provider and model in a few words. */
export function describeProvider({ provider, model }: { provider: ProviderKind; model?: string | undefined }): string {
  const { label } = providerKinds[provider]
  return model === undefined || model === '' ? label : `${label} · ${model}`
}
