import type { LanguageModelV3 } from '@ai-sdk/provider'
import { HubError, keySecretOf } from '@herma/contract'
import { toPathHeaders, type WorkContext } from '../../wire/index.ts'
import { createModel } from '../provider/create-model.ts'
import { createSamplingModel } from '../provider/sampling/sampling-model.ts'
import type { StoredSession } from '../store.ts'
import type { WorkEnvironment } from './work-environment.ts'

/** The model that a session works with: one of a provider, or the one of the calling client. */
export async function openModel(
  session: StoredSession,
  workContext: WorkContext,
  { secrets, fetch }: Pick<WorkEnvironment, 'secrets' | 'fetch'>,
): Promise<LanguageModelV3> {
  const { name, provider, model, baseUrl, api } = session
  if (provider === 'command' || provider === 'mcp') throw new Error(`The provider ${provider} is no model.`)
  if (provider === 'sampling') return openSampling(session, workContext)
  const secretName = keySecretOf(session)
  const apiKey = secretName === null ? undefined : secrets.valueOf(secretName)
  if (secretName !== null && apiKey === undefined) {
    throw new HubError('SESSION_UNREADY', `'${name}' has no key. Store it with: herma secret set ${secretName}`)
  }
  return await createModel(
    { provider, model, api, apiKey, baseUrl: baseUrl ?? undefined, secretName: secretName ?? undefined },
    baseUrl === null ? fetch : withPath(fetch, workContext),
  )
}

/** A server of one's own may be a session of a hub, which has to know when a request comes in a circle. */
function withPath(fetch: WorkEnvironment['fetch'], { path }: WorkContext): WorkEnvironment['fetch'] {
  return (url, init) => {
    const headers = { ...Object.fromEntries(new Headers(init?.headers)), ...toPathHeaders(path) }
    return fetch(url, { ...init, headers })
  }
}

function openSampling({ name, model }: StoredSession, { ask, caller }: WorkContext): LanguageModelV3 {
  if (ask === null) {
    const text = `'${name}' works with the model of its client, and there is no client here that lends one. Call it over MCP.`
    throw new HubError('CAPABILITY_MISSING', text)
  }
  return createSamplingModel({ ask, capabilities: caller.capabilities, modelHints: model === '' ? [] : [model] })
}
