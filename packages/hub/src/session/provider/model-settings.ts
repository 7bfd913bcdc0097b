/** A model of a provider, with secrets already replaced by their values. */
export interface ModelSettings {
  readonly provider: 'openai' | 'anthropic' | 'google' | 'openai-compatible'
  readonly model: string
  /** Where the API is, with its version: `https://api.openai.com/v1`. Only `openai-compatible` needs one. */
  readonly baseUrl?: string | undefined
  readonly apiKey?: string | undefined
  /** Name of the secret that holds the key, for what is said when it is refused. */
  readonly secretName?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** OpenAI only. */
  readonly organization?: string | undefined
  /** OpenAI only. */
  readonly project?: string | undefined
  /** OpenAI only: which of its two APIs. */
  readonly api?: 'responses' | 'chat' | undefined
}
