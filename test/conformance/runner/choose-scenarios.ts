import { startChild } from './child.ts'
import type { Suite } from './install-suite.ts'
import type { Leg } from './legs.ts'

/** The scenarios to run, and whether they are all that the suite itself would run at that revision. */
export type Choice = { scenarios: readonly string[]; isSuite: boolean }

/** Chooses from the server scenarios of a leg, those that the suite calls pending included; all when none is wanted. */
export async function chooseScenarios(suite: Suite, leg: Leg, wanted: readonly string[]): Promise<Choice> {
  const all = await listScenarios(suite, leg)
  const scenarios = wanted.length === 0 ? all : all.filter((name) => wanted.includes(name))
  return { scenarios, isSuite: !leg.extensionPrefix && scenarios.length === all.length }
}

async function listScenarios(suite: Suite, { revision, extensionPrefix }: Leg): Promise<string[]> {
  const filter = extensionPrefix ? [] : ['--spec-version', revision]
  const child = startChild(suite.node, [suite.script, 'list', '--server', ...filter])
  const names: string[] = []
  child.onLine((line) => names.push(...(/^ {2}- (\S+)/.exec(line)?.slice(1) ?? [])))
  await child.ended
  const listed = names.filter((name) => name.startsWith(extensionPrefix ?? ''))
  if (listed.length === 0) throw new Error(`The suite lists no scenario for ${revision}.\n${child.lastLines()}`)
  return listed
}
