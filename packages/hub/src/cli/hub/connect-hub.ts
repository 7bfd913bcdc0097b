import type { Cli } from '../terminal/cli.ts'
import { findHub } from './find-hub.ts'
import { createHubClient, type HubClient } from './hub-client.ts'

/** The hub that the person means. */
export async function connectHub(cli: Cli): Promise<HubClient> {
  return createHubClient(await findHub({ url: cli.hubUrl, tokenFile: cli.tokenFile }, cli.terminal.env))
}
