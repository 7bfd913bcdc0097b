import { randomUUID } from 'node:crypto'
import type { Connector, TestReport, TestRequest } from '@herma/contract'
import type { Redactor } from '../../secret/index.ts'
import type { Authorizations } from '../authorization/authorizations.ts'
import type { ConnectorCredentials } from '../authorization/credential/connector-credentials.ts'
import { secretValues } from '../connector/change/change-connector.ts'
import type { DownstreamEnvironment } from '../downstream-environment.ts'
import { findServerUrl } from '../link/link-settings.ts'
import { testConnector } from './test-connector.ts'

interface Surroundings {
  readonly redactor: Redactor
  readonly authorizations: Authorizations
  readonly environment: DownstreamEnvironment
  /** What the hub shows the server, where that is known already. */
  readonly credentials: ConnectorCredentials | null
}

/** Tries a connector that is not stored, or not as it is. Nothing of it is kept, and its secrets are masked meanwhile. */
export async function testUnstored(
  connector: Connector,
  request: TestRequest,
  { redactor, authorizations, environment, credentials: given }: Surroundings,
): Promise<TestReport> {
  environment.ownHub?.refuse(connector)
  const owner = `test ${randomUUID()}`
  redactor.set(owner, secretValues(connector, environment.secretOf))
  try {
    const credentials = given ?? authorizations.passing(owner, connector, findServerUrl(connector))
    return await testConnector(connector, request, { ...environment, credentials })
  } finally {
    redactor.remove(owner)
    authorizations.remove(owner)
  }
}
