import type { TestReport } from '@herma/contract'
import type { ConnectorDraft } from '../form/draft/connector-draft.ts'

/** What the page can do about a failed test: change the form, show a field, or sign in. */
export interface SuggestedFix {
  readonly text: string
  readonly action: string
  readonly change?: (draft: ConnectorDraft) => Partial<ConnectorDraft>
  /** The id of the field to look at. */
  readonly focus?: string
  readonly signsIn?: boolean
}

/** The most likely remedy for what a test says; null when only a person can know. */
export function suggestFix(report: TestReport, draft: ConnectorDraft, isStored: boolean): SuggestedFix | null {
  if (report.ok) return null
  const cause = report.cause ?? ''
  const failed = report.stages.find(({ outcome }) => outcome === 'failed')?.name
  if (draft.transport !== 'stdio') return fixRemote(cause, draft, isStored)
  const variable = missingVariable([...report.stderr, cause], draft)
  if (variable !== null)
    return {
      text: `It asked for ${variable}, which is not set in its variables.`,
      action: 'Add it',
      change: ({ env }) => ({ env: [...env, { name: variable, value: '', secret: true }] }),
      focus: `env.${draft.env.length}.value`,
    }
  if (failed === 'resolve' && /working directory/i.test(cause))
    return { text: 'The working directory is not there.', action: 'Change it', focus: 'workingDir' }
  if (failed === 'resolve')
    return { text: 'The program was not found. Install it, or give its full path.', action: 'Change it', focus: 'cmd' }
  return null
}

function fixRemote(cause: string, draft: ConnectorDraft, isStored: boolean): SuggestedFix | null {
  const wantsSignIn = /HTTP 40[13]|sign.?in|unauthori[sz]ed/i.test(cause)
  if (wantsSignIn && isStored && draft.oauth.grant === 'authorization_code')
    return { text: 'The server wants to know who you are.', action: 'Sign in', signsIn: true }
  if (wantsSignIn)
    return {
      text: 'The server wants credentials. Give it a token, or save and sign in.',
      action: 'Add a header',
      change: ({ headers }) => ({ headers: [...headers, { name: 'Authorization', value: '', secret: true }] }),
      focus: `headers.${draft.headers.length}.value`,
    }
  if (!/HTTP 40[45]/.test(cause)) return null
  const hasPath = draft.endpointPath !== '' || new URL(draft.baseUrl, 'http://localhost').pathname !== '/'
  if (!hasPath)
    return {
      text: 'Nothing answers at this address. Most servers have their endpoint at /mcp.',
      action: 'Use /mcp',
      change: () => ({ endpointPath: '/mcp' }),
    }
  if (draft.transport === 'sse') return null
  return {
    text: 'Nothing of this kind answers there. Older servers speak the event stream.',
    action: 'Try SSE',
    change: () => ({ transport: 'sse' }),
  }
}

/** The variable that a program complained about. */
function missingVariable(lines: readonly string[], { env }: ConnectorDraft): string | null {
  for (const line of lines) {
    if (!/required|missing|not set|must be set|undefined|provide/i.test(line)) continue
    const name = /\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b/.exec(line)?.[1]
    if (name !== undefined && !env.some((row) => row.name === name)) return name
  }
  return null
}
