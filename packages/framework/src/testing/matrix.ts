import type { Tools } from '../component/define.ts'
import type { Version } from '../protocol/version.ts'
import type { App } from '../server/app.ts'
import { hostOf, type Served } from '../server/served.ts'
import type { TestClient } from './test-client.ts'
import type { TestOptions } from './test-options.ts'
import { test } from './test.ts'

/** How each of the clients talks to the server, and which revisions there are. */
export interface MatrixOptions extends Omit<TestOptions, 'version'> {
  /** Every revision that the server serves unless said otherwise. */
  readonly versions?: readonly Version[]
}

/**
 * Runs a test once for each protocol revision, each time with a client of its own; errors say which revision they are of.
 * The server is the same one each time: state that is not the connection's goes from one run to the next.
 */
export async function matrix<T extends Tools, S>(
  app: App<T, S>,
  check: (t: TestClient<T, S>, version: Version) => Promise<void> | void,
  options?: MatrixOptions,
): Promise<void>
export async function matrix(
  served: Served,
  check: (t: TestClient, version: Version) => Promise<void> | void,
  options?: MatrixOptions,
): Promise<void>
export async function matrix(
  served: Served,
  check: (t: TestClient, version: Version) => Promise<void> | void,
  options: MatrixOptions = {},
): Promise<void> {
  const { versions = hostOf(served).versions, ...rest } = options
  const failures: Error[] = []
  const once = async (version: Version) => {
    await using t = await test(served, { ...rest, version })
    await check(t, version)
  }
  for (const version of versions) {
    try {
      await once(version)
    } catch (error) {
      failures.push(named(error, version))
    }
  }
  if (failures.length === 1) throw failures[0]
  if (failures.length > 1) {
    const lines = failures.map(({ message }) => message).join('\n')
    throw new AggregateError(failures, `${failures.length} of ${versions.length} revisions failed.\n${lines}`)
  }
}

/** The same error, so that a test runner can still show its difference, but with the revision in its message. */
function named(thrown: unknown, version: Version): Error {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  error.message = `With a client of ${version}: ${error.message}`
  return error
}
