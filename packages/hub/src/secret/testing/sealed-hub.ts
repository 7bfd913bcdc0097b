import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { AuthorizationStore, ConnectorStore } from '../../downstream/index.ts'
import { Events } from '../../platform/events.ts'
import { createLog } from '../../platform/log.ts'
import { KeyRing } from '../key/key-ring.ts'
import { KeyRotation } from '../key/key-rotation.ts'
import { type KeyPlaces, locateKey, readMasterKey } from '../key/master-key.ts'
import { DataKeyStore } from '../key/store.ts'
import { SecretStore } from '../store.ts'

/** What of a hub holds sealed values. `watch` may put something between the rotation and what it writes to. */
export async function openSealedHub(
  stateHome: string,
  db: NodePgDatabase,
  from: Partial<KeyPlaces> = {},
  watch: <T extends object>(part: T) => T = (part) => part,
) {
  const source = locateKey({ ...from, stateHome })
  const ring = new KeyRing(source, await readMasterKey(source), watch(new DataKeyStore(db)))
  await ring.load()
  const secrets = new SecretStore(db, ring)
  const connectors = new ConnectorStore(db, ring)
  const signIns = new AuthorizationStore(db, ring)
  const rotation = new KeyRotation({
    ring,
    places: [watch(connectors), watch(signIns), watch(secrets)],
    events: new Events(),
    log: createLog('silent'),
  })
  return { ring, secrets, connectors, signIns, rotation }
}
