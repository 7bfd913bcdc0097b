/** What a path below `/v1` asks for. */
export interface OpenAiPath {
  readonly api: 'chat.completions' | 'responses' | 'models'
  /** Null where the model of the body names it. */
  readonly session: string | null
  /** Of `models/NAME`. */
  readonly model: string | null
}

/** Null when there is nothing. */
export function readOpenAiPath(path: string): OpenAiPath | null {
  const match = /^\/v1(?:\/sessions\/([\w-]+))?\/(chat\/completions|responses|models)(?:\/([\w-]+))?$/.exec(path)
  if (match === null) return null
  const [, session = null, name, model = null] = match
  if (model !== null && name !== 'models') return null
  const api = name === 'chat/completions' ? 'chat.completions' : (name as 'responses' | 'models')
  return { api, session, model }
}
