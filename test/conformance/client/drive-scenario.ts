import { addConnector } from './add-connector.ts'
import type { TestedHub } from '../runner/start-hub.ts'
import { openFront, type Era } from './open-front.ts'
import { scenarios } from './scenarios.ts'
import { sdkSignIn } from './sdk-sign-in.ts'

export type Drive = {
  /** Where the suite's server listens. */
  url: string
  /** The era of the client in front. */
  era: Era
  /** What the suite tells the client to do, in scenarios that need it told. */
  context: Record<string, unknown>
  /** Where the hub to test listens; absent to test the SDK's own client. */
  hub: TestedHub | undefined
}

/** Plays one client scenario of the suite, through a hub or without one. */
export async function driveScenario(name: string, { url, era, context, hub }: Drive): Promise<void> {
  const scenario = scenarios[name]
  if (!scenario) throw new Error(`Nothing drives the scenario ${name}. Add it to test/conformance/client/scenarios.ts.`)
  const oauth = scenario.oauth?.(context)
  const connector = hub === undefined ? undefined : await addConnector(hub, url, oauth)
  try {
    if (scenario.isPersonal) await connector?.signIn()
    const signIn = connector ? {} : sdkSignIn(url, oauth, scenario.isPersonal ?? false)
    const front = await openFront(connector?.url ?? url, { era, capabilities: scenario.capabilities ?? {}, signIn })
    const play = (connector && scenario.playThroughHub) ?? scenario.play
    try {
      await play(front, context, connector)
    } finally {
      await front.close()
    }
  } finally {
    // The suite's server cannot stop while somebody is connected to it.
    await connector?.remove()
  }
}
