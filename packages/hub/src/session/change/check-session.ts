import { stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { HubError, type Session } from '@herma/contract'
import { issueAt } from '../../platform/http/index.ts'
import type { SessionSecrets } from '../session-secrets.ts'

interface Problem {
  readonly field: string
  readonly because: string
}

/**
 * Throws SESSION_INVALID, naming the field, for what the schema alone cannot tell. A folder that went since the session
 * was stored is no reason to refuse other changes of it.
 */
export async function checkSession(
  session: Session,
  secrets: Pick<SessionSecrets, 'isSecretName' | 'namesIn'>,
  before?: Session,
): Promise<void> {
  const hasSameFolders = before?.workingDir === session.workingDir && isDeepStrictEqual(before.paths, session.paths)
  const problem =
    findProviderProblem(session) ??
    findCommandProblem(session, secrets) ??
    findLimitProblem(session) ??
    (hasSameFolders ? null : await findFolderProblem(session))
  if (problem === null) return
  const { field, because } = problem
  throw new HubError('SESSION_INVALID', `${field}: ${because}`, { cause: issueAt(field, because) })
}

function findProviderProblem({ provider, model, baseUrl, command, routes }: Session): Problem | null {
  if (baseUrl !== null && mayHoldSecret(new URL(baseUrl)))
    return {
      field: 'baseUrl',
      because:
        'It holds a name, a password or a query, and would be shown in clear. Store the key as a secret instead.',
    }
  switch (provider) {
    case 'openai-compatible':
      if (baseUrl === null)
        return {
          field: 'baseUrl',
          because: 'An openai-compatible provider needs its address, such as http://127.0.0.1:11434/v1.',
        }
      return model === '' ? needsModel(provider) : null
    case 'openai':
    case 'anthropic':
    case 'google':
      return model === '' ? needsModel(provider) : null
    case 'command':
      if (command === null)
        return {
          field: 'command',
          because: 'The provider command needs one, at least its dialect: codex, claude, text.',
        }
      if (command.dialect === 'text' && command.cmd === undefined)
        return { field: 'command.cmd', because: 'The dialect text has no usual executable: name one.' }
      return null
    case 'mcp':
      if (routes.some(({ use }) => use !== 'model')) return null
      return { field: 'routes', because: 'The provider mcp needs at least one route that uses a tool of a connector.' }
    case 'sampling':
      return null
  }
}

function mayHoldSecret({ username, password, search }: URL): boolean {
  return username !== '' || password !== '' || search !== ''
}

function needsModel(provider: string): Problem {
  return { field: 'model', because: `The provider ${provider} needs the name of a model.` }
}

/** A session is shown as it is, so that a secret must not stand in it. */
function findCommandProblem(
  { command }: Session,
  { isSecretName, namesIn }: Pick<SessionSecrets, 'isSecretName' | 'namesIn'>,
): Problem | null {
  for (const [name, value] of Object.entries(command?.env ?? {})) {
    if (value === '' || !isSecretName(name) || namesIn(value).length > 0) continue
    const next = `Store it with: herma secret set ${name}, and write {secret:${name}} here.`
    return { field: `command.env.${name}`, because: `This looks like a secret, and would be shown in clear. ${next}` }
  }
  return null
}

function findLimitProblem({ provider, limits, pricing }: Session): Problem | null {
  // A command says itself what it cost.
  if (limits.maxCostUsd === null || pricing !== null || provider === 'command' || provider === 'mcp') return null
  return {
    field: 'pricing',
    because: 'A limit of cost needs the prices of the model, for a million tokens in and out.',
  }
}

async function findFolderProblem({ workingDir, paths }: Session): Promise<Problem | null> {
  if (workingDir === null) {
    const relative = paths.roots.find((root) => !isAbsolute(root))
    if (relative === undefined) return null
    return { field: 'paths.roots', because: `'${relative}' is relative, and there is no working directory for it.` }
  }
  if (!isAbsolute(workingDir)) return { field: 'workingDir', because: `'${workingDir}' is not an absolute path.` }
  const found = await stat(workingDir).catch(() => null)
  if (found?.isDirectory() === true) return null
  const what = found === null ? 'does not exist, or cannot be reached' : 'is not a folder'
  return { field: 'workingDir', because: `'${workingDir}' ${what}. Create it first, or name another.` }
}
