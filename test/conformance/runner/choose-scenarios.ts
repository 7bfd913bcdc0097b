import { startChild } from './child.ts'
import type { Suite } from './install-suite.ts'
import type { Leg } from './legs.ts'
import { whyNotYet } from './not-yet.ts'

export type Choice = {
  /** The scenarios to run. */
  scenarios: readonly string[]
  /** Whether these are all that the suite itself would run at that revision. */
  isSuite: boolean
  /** Scenarios that are not run because the hub lacks a feature, with what it lacks. */
  notYet: readonly { scenario: string; reason: string }[]
}

/** Chooses from the scenarios of a leg, those that the suite calls pending included; all when none is wanted. */
export async function chooseScenarios(suite: Suite, leg: Leg, wanted: readonly string[]): Promise<Choice> {
  const all = await listScenarios(suite, leg)
  const chosen = wanted.length === 0 ? all : all.filter((name) => wanted.includes(name))
  const notYet = chosen.flatMap((scenario) => {
    const reason = whyNotYet(leg.side, scenario)
    return reason === undefined ? [] : [{ scenario, reason }]
  })
  const scenarios = chosen.filter((name) => !notYet.some(({ scenario }) => scenario === name))
  return { scenarios, isSuite: leg.extensionPrefix === undefined && scenarios.length === all.length, notYet }
}

async function listScenarios(suite: Suite, { side, revision, extensionPrefix }: Leg): Promise<string[]> {
  const filter = extensionPrefix === undefined ? ['--spec-version', revision] : []
  const child = startChild(suite.node, [suite.script, 'list', `--${side}`, ...filter])
  const found: { name: string; tags: string }[] = []
  child.onLine((line) => {
    const [, name, tags] = /^ {2}- (\S+)(?: \[(.*)\])?/.exec(line) ?? []
    if (name) found.push({ name, tags: tags ?? '' })
  })
  await child.ended
  const listed = found.filter(
    ({ name, tags }) => extensionPrefix === undefined || (tags === 'extension' && name.startsWith(extensionPrefix)),
  )
  if (listed.length === 0) throw new Error(`The suite lists no ${side} scenario for ${revision}.\n${child.lastLines()}`)
  return listed.map(({ name }) => name)
}
