import type { TestReport, TestRequest } from '@herma/contract'

import type { Cli } from './cli.ts'
import { connectorPath, type HubClient } from './hub-client.ts'
import { showProgress } from './show-progress.ts'

/** Tests a stored connector and says so while it lasts. The hub limits how long that is. */
export function testConnector(cli: Cli, hub: HubClient, name: string, request: TestRequest = {}): Promise<TestReport> {
  const work = hub.send<TestReport>('POST', connectorPath(name, '/test'), request, { patient: true })
  return showProgress(cli.terminal, `Testing '${name}'`, work)
}
