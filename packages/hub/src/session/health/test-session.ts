import { stat } from 'node:fs/promises'
import { HubError, type SessionTest, keySecretOf } from '@herma/contract'
import { checkSession } from '../change/check-session.ts'
import type { SessionDirectory } from '../session-directory.ts'
import { hasWorkspace } from '../offered-abilities.ts'
import type { BoundPlace } from '../ports.ts'
import { missingSecrets, type SessionSecrets } from '../session-secrets.ts'
import type { StoredSession } from '../store.ts'

/** What a test tries for real. Both reject with the reason. */
export interface SessionTrials {
  /** Asks the model, or the command, for a word. */
  tryModel(session: StoredSession): Promise<{ readonly detail: string }>
  /** Opens the connection to a bound connector; the number of its tools. */
  countTools(place: BoundPlace): Promise<number>
}

interface TestEnvironment {
  readonly secrets: SessionSecrets
  readonly trials: SessionTrials
  /** Connectors that the session may use. */
  readonly bindings: readonly { readonly connector: string }[]
}

interface SessionTesterOptions extends Pick<TestEnvironment, 'secrets' | 'trials'> {
  readonly sessions: Pick<SessionDirectory, 'find'>
  readonly bindings: { usableBy(sessionId: string): TestEnvironment['bindings'] }
}

/** Tests sessions for people. */
export class SessionTester {
  readonly #options: SessionTesterOptions

  constructor(options: SessionTesterOptions) {
    this.#options = options
  }

  /** Throws SESSION_NOT_FOUND. */
  async test(name: string): Promise<SessionTest> {
    const { sessions, bindings, ...environment } = this.#options
    const session = sessions.find(name)
    return testSession(session, { ...environment, bindings: bindings.usableBy(session.id) })
  }
}

type Stage = SessionTest['stages'][number]

/** Goes through everything that a session needs, one stage after the other, and says what to do where one fails. */
async function testSession(session: StoredSession, outside: TestEnvironment): Promise<SessionTest> {
  const stages: Stage[] = []
  const edit = `herma session edit ${session.name}`
  const run = async (name: string, fix: string, work: () => Promise<string>) => {
    stages.push(await runStage(name, fix, work))
    return stages.at(-1)!.ok
  }
  await run('settings', `Mend the field: ${edit}`, () => testSettings(session, outside.secrets))
  const key = keySecretOf(session)
  const isKeyThere = await run('key', `Store it with: herma secret set ${key ?? 'NAME'}`, () =>
    testKey(session, outside.secrets),
  )
  const isReady = isKeyThere && stages[0]!.ok
  await run('provider', `Check provider, model and address: ${edit}`, () => testProvider(session, outside, isReady))
  await run('workspace', `Name a folder that exists: ${edit} --dir DIR`, () => testWorkspace(session))
  await run('bindings', `See what is wrong: herma session bindings ${session.name}`, () =>
    testBindings(session, outside),
  )
  return { ok: stages.every(({ ok }) => ok), stages }
}

async function runStage(name: string, fix: string, work: () => Promise<string>): Promise<Stage> {
  const startedAt = performance.now()
  const end = (ok: boolean, detail: string): Stage => ({
    name,
    ok,
    ms: Math.round(performance.now() - startedAt),
    detail: detail.slice(0, 2000),
    fix: ok ? null : fix,
  })
  try {
    return end(true, await work())
  } catch (error) {
    return end(false, error instanceof Error ? error.message : String(error))
  }
}

async function testSettings(session: StoredSession, secrets: SessionSecrets): Promise<string> {
  if (session.problem !== null) throw new HubError('SESSION_INVALID', session.problem)
  // A folder that is gone is told by the stage of the workspace.
  await checkSession(session, secrets, session)
  return session.enabled ? 'complete' : 'complete, but the session is disabled'
}

async function testKey(session: StoredSession, secrets: SessionSecrets): Promise<string> {
  const missing = missingSecrets(session, secrets)
  if (missing !== null) throw new HubError('SECRET_NOT_FOUND', missing)
  const key = keySecretOf(session)
  return key === null ? 'none is needed' : `the secret '${key}' is stored`
}

async function testProvider(session: StoredSession, { trials }: TestEnvironment, isReady: boolean): Promise<string> {
  if (session.provider === 'sampling') return 'the model of the calling client; there is nothing to try'
  if (session.provider === 'mcp') return 'its routes lead to tools of connectors'
  if (!isReady) throw new HubError('SESSION_UNREADY', 'Not tried, because of what failed before.')
  return (await trials.tryModel(session)).detail
}

async function testWorkspace(session: StoredSession): Promise<string> {
  if (!hasWorkspace(session)) return 'none: files are out of reach'
  const { workingDir, paths } = session
  const folders = [...(workingDir === null ? [] : [workingDir]), ...paths.roots.filter((root) => root.startsWith('/'))]
  for (const folder of folders) {
    const found = await stat(folder).catch(() => null)
    if (found?.isDirectory() !== true) throw new HubError('SESSION_INVALID', `'${folder}' is no folder.`)
  }
  return folders.join(', ')
}

async function testBindings(session: StoredSession, { trials, bindings }: TestEnvironment): Promise<string> {
  const bound = new Set(bindings.map(({ connector }) => connector))
  for (const { use } of session.routes) {
    if (use === 'model' || bound.has(use.connector)) continue
    const next = `herma session bind ${session.name} ${use.connector}`
    throw new HubError(
      'BINDING_NOT_FOUND',
      `A route uses '${use.connector}', which is not bound or disabled. Run: ${next}`,
    )
  }
  const counts: string[] = []
  for (const connector of bound) {
    const count = await trials.countTools({ sessionId: session.id, connector })
    counts.push(`${connector} has ${count} tools`)
  }
  return counts.length === 0 ? 'none' : counts.join(', ')
}
