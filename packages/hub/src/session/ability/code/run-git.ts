import { execFile } from 'node:child_process'
import { HubError } from '@herma/contract'

export interface GitOptions {
  readonly cwd: string
  readonly signal: AbortSignal
  /** The hub's own environment. */
  readonly environment: NodeJS.ProcessEnv
  readonly input?: string | undefined
}

const timeoutMs = 60_000
const maxOutputBytes = 128 * 1024 * 1024

/**
 * Runs a command of git that only reads objects and the index. A repository may be somebody else's: nothing that its
 * configuration names is run, neither monitors nor hooks nor helpers, and nothing is fetched. Commands that would run
 * filters (diff, status, show of files) must not be used here.
 */
export async function runGit(args: readonly string[], options: GitOptions): Promise<Buffer> {
  const { cwd, signal, environment, input } = options
  return await new Promise((resolve, reject) => {
    const child = execFile(
      'git',
      [...safeguards, ...args],
      {
        cwd,
        signal,
        timeout: timeoutMs,
        maxBuffer: maxOutputBytes,
        encoding: 'buffer',
        env: safeEnvironment(environment),
      },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout)
        else reject(signal.aborted ? signal.reason : explain(error, stderr.toString('utf8')))
      },
    )
    // A command that ended early says why by its exit.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input ?? '')
  })
}

const safeguards = [
  '--no-pager',
  '--literal-pathspecs',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'protocol.allow=never',
  // A folder that only looks like a repository may be anything that somebody wrote.
  '-c',
  'safe.bareRepository=explicit',
]

function safeEnvironment({ PATH = '/usr/bin:/bin' }: NodeJS.ProcessEnv): Record<string, string> {
  return {
    PATH,
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
  }
}

function explain(error: Error & { code?: unknown }, stderr: string): HubError {
  if (error.code === 'ENOENT') {
    return new HubError('INVALID_PARAMS', 'git is not installed where the hub runs. Give `diff` instead of `base`.')
  }
  const said = stderr.trim().split('\n')[0]?.slice(0, 300) || 'it did not answer in time'
  return new HubError('INVALID_PARAMS', `git cannot read the workspace: ${said}. Mend that, or give \`diff\` instead.`)
}
