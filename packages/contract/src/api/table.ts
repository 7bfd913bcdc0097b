import { accessOperations } from './access.ts'
import { backupOperations } from './backup.ts'
import { catalogOperations } from './catalog.ts'
import { changeOperations } from './change.ts'
import { compositeOperations } from './composite.ts'
import { connectorOperations } from './connector.ts'
import { connectorUseOperations } from './connector-use.ts'
import { credentialOperations } from './credential.ts'
import { discoveryOperations } from './discovery.ts'
import { driftOperations } from './drift.ts'
import { hubOperations } from './hub.ts'
import { keyOperations } from './key.ts'
import { latencyOperations } from './latency.ts'
import { pinOperations } from './pin.ts'
import { policyOperations } from './policy.ts'
import { replayOperations } from './replay.ts'
import { secretOperations } from './secret.ts'
import { serverOperations } from './server.ts'
import { serverInsightOperations } from './server-insight.ts'
import { sessionOperations } from './session.ts'
import { signInOperations } from './sign-in.ts'
import { teamOperations } from './team.ts'
import { threadOperations } from './thread.ts'
import { traceOperations } from './trace.ts'
import { userOperations } from './user.ts'
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
