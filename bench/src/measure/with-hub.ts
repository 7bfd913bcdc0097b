import { launchHub, waitUntilReady, type RunningHub } from '../target/herma.ts'

/** Runs a hub on the home for as long as `work` takes. */
export async function withHub<Result>(
  home: string,
  nodeOptions: string[],
  work: (hub: RunningHub) => Promise<Result>,
): Promise<Result> {
  const hub = await launchHub(home, nodeOptions)
  try {
    await waitUntilReady(hub)
    return await work(hub)
  } finally {
    await hub.started.stop()
  }
}
