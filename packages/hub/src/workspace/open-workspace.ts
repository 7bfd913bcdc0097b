import { stat } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HubError } from '@herma/contract'
import { locatePath } from './path/locate-path.ts'
import { compilePolicy, type PathPolicy } from './path/path-policy.ts'
import { pathRefused, type OnViolation } from './path/path-refusal.ts'
import { Workspace } from './workspace.ts'

export interface WorkspaceOptions {
  /** Of the call: absolute, or relative to the default. */
  readonly cwd?: string | undefined
  /** Of the call, in place of `cwd`: a `file:` URI. */
  readonly workspaceUri?: string | undefined
  /** Of the session or the server. */
  readonly defaultCwd: string | null
  readonly policy: PathPolicy
  /** Real paths of folders that no policy opens: those of the hub itself. */
  readonly closed?: readonly string[] | undefined
  readonly onViolation: OnViolation
}

/** Finds the working directory of a call, which has to be a folder inside of an allowed root. */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const { defaultCwd, policy, onViolation } = options
  if (defaultCwd !== null && !isAbsolute(defaultCwd)) {
    throw new HubError('INVALID_PARAMS', `The working directory '${defaultCwd}' is relative. Set an absolute path.`)
  }
  const path = chooseCwd(options)
  const rules = await compilePolicy(policy, defaultCwd, options.closed)
  const located = await locatePath(rules, { cwd: defaultCwd ?? '/', path, use: 'read' })
  if ('refusal' in located) {
    onViolation(located.refusal)
    throw pathRefused(located.refusal)
  }
  const { real, exists } = located.place
  if (exists && (await stat(real)).isDirectory()) return new Workspace(real, rules, onViolation)
  const what = exists ? 'is not a folder' : 'does not exist'
  throw new HubError('INVALID_PARAMS', `The working directory '${path}' ${what}. Create it or name another one.`)
}

function chooseCwd({ cwd, workspaceUri, defaultCwd }: WorkspaceOptions): string {
  const named = workspaceUri === undefined ? undefined : parseUri(workspaceUri)
  if (cwd !== undefined && named !== undefined && resolve(defaultCwd ?? '/', cwd) !== named) {
    throw new HubError('INVALID_PARAMS', '`cwd` and `workspace_uri` name different folders. Give one of them.')
  }
  const chosen = cwd ?? named ?? defaultCwd
  if (chosen === null) {
    throw new HubError('INVALID_PARAMS', 'There is no working directory. Give `cwd`, or set a default one.')
  }
  if (!isAbsolute(chosen) && defaultCwd === null) {
    throw new HubError('INVALID_PARAMS', `'${chosen}' is relative to nothing. Give an absolute \`cwd\`.`)
  }
  return chosen
}

function parseUri(uri: string): string {
  try {
    return resolve(fileURLToPath(uri))
  } catch (cause) {
    const next = 'Give one such as file:///home/me/project.'
    throw new HubError('INVALID_PARAMS', `\`workspace_uri\` is not a file: URI of this machine. ${next}`, { cause })
  }
}
