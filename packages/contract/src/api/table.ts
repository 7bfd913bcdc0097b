import { accessOperations } from './access/access.ts'
import { backupOperations } from './backup.ts'
import { catalogOperations } from './catalog/catalog.ts'
import { changeOperations } from './change.ts'
import { compositeOperations } from './catalog/composite.ts'
import { connectorOperations } from './connector/connector.ts'
import { connectorUseOperations } from './connector/connector-use.ts'
import { credentialOperations } from './connector/credential.ts'
import { discoveryOperations } from './discovery.ts'
import { driftOperations } from './catalog/drift.ts'
import { hubOperations } from './hub.ts'
import { keyOperations } from './access/key.ts'
import { latencyOperations } from './trace/latency.ts'
import { pinOperations } from './catalog/pin.ts'
import { policyOperations } from './access/policy.ts'
import { replayOperations } from './trace/replay.ts'
import { secretOperations } from './secret.ts'
import { serverOperations } from './server/server.ts'
import { serverInsightOperations } from './server/server-insight.ts'
import { sessionOperations } from './session/session.ts'
import { signInOperations } from './connector/sign-in.ts'
import { teamOperations } from './team.ts'
import { threadOperations } from './session/thread.ts'
import { traceOperations } from './trace/trace.ts'
import { userOperations } from './access/user.ts'
import { workspaceOperations } from './workspace.ts'

/** Every operation of the management API. Of two paths that match a request, the one with fewer placeholders is taken. */
export const api = {
  ...hubOperations,
  ...changeOperations,
  ...connectorUseOperations,
  ...workspaceOperations,
  ...backupOperations,
  ...connectorOperations,
  ...signInOperations,
  ...credentialOperations,
  ...discoveryOperations,
  ...serverOperations,
  ...serverInsightOperations,
  ...catalogOperations,
  ...compositeOperations,
  ...pinOperations,
  ...driftOperations,
  ...traceOperations,
  ...latencyOperations,
  ...replayOperations,
  ...accessOperations,
  ...keyOperations,
  ...policyOperations,
  ...userOperations,
  ...secretOperations,
  ...sessionOperations,
  ...threadOperations,
  ...teamOperations,
}

export type Api = typeof api
