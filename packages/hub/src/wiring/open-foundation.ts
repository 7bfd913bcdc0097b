import { openOperatorToken } from '../access/operator-token.ts'
import { Isolator } from '../downstream/index.ts'
import { Servers } from '../gateway/index.ts'
import type { HubOptions } from '../hub-options.ts'
import { managementName } from '../management/index.ts'
import { BufferBudget } from '@herma/framework/wire'
import { Events } from '../platform/events.ts'
import { HubAddress } from '../platform/hub-address.ts'
import type { Lifecycle } from '../platform/lifecycle.ts'
import type { Log } from '../platform/log.ts'
import { bufferMetrics } from '../platform/metric/buffer-metrics.ts'
import { MetricRegistry } from '../platform/metric/metric-registry.ts'
import { HiddenState } from '../platform/hidden-state/hidden-state.ts'
import { startProcessWatchdog } from '../platform/process/process-watchdog.ts'
import { claimStateHome } from '../platform/store/claim-state-home.ts'
import { openStore } from '../platform/store/store.ts'
import { openKeyRing, Secrets, SecretStore, type Redactor } from '../secret/index.ts'

export type Foundation = Awaited<ReturnType<typeof openFoundation>>

interface FoundationOptions extends HubOptions {
  readonly lifecycle: Lifecycle
  readonly log: Log
  readonly redactor: Redactor
}

/** What everything else stands on: the store, the keys, the secrets, and the names of the served servers. */
export async function openFoundation({ lifecycle, log, redactor, ...options }: FoundationOptions) {
  const { stateHome, configHome, databaseUrl } = options
  const { lock, server } = await (options.claimed ?? claimStateHome({ stateHome, databaseUrl, log }))
  lifecycle.add(() => lock.release())
  const [operatorToken, store] = await Promise.all([
    openOperatorToken(stateHome),
    openStore({ stateHome, databaseUrl, log, server }),
  ])
  lifecycle.add(store)
  redactor.set('hub', [operatorToken, passwordOf(databaseUrl)])
  const sealer = await openKeyRing({ ...options, db: store.db, isStoreShared: store.kind === 'external' })
  const events = new Events()
  store.restarted.listen((why) => events.emit('store.restarted', null, { why }))
  const secretStore = new SecretStore(store.db, sealer)
  const secrets = new Secrets({ store: secretStore, redactor, events })
  const servers = new Servers(store.db, events, [managementName])
  await Promise.all([secrets.start(), servers.start()])
  const watchdog = startProcessWatchdog()
  lifecycle.add(watchdog)
  const [address, metrics] = [new HubAddress(), new MetricRegistry()]
  const buffers = new BufferBudget({
    onCut: ({ principal, ...cut }) => events.emit('client.cut', null, { ...cut }, { principal }),
  })
  metrics.add(...bufferMetrics(buffers))
  lifecycle.add(buffers)
  const homes = { stateHome, configHome }
  // The socket of the embedded database may lie elsewhere, where the path of the state home is too long for one.
  const socket = databaseUrl === undefined ? store.pool.options.host : undefined
  const alsoHidden = [socket, options.keyFile].filter((path) => path?.startsWith('/') === true)
  const hiddenState = new HiddenState({ stateHome, alsoHidden: alsoHidden as string[], log })
  await hiddenState.start()
  lifecycle.add(() => hiddenState.stop())
  const isolator = new Isolator({ stateHome, hiddenState, log })
  return {
    homes,
    lifecycle,
    log,
    redactor,
    operatorToken,
    store,
    sealer,
    events,
    secretStore,
    secrets,
    servers,
    watchdog,
    hiddenState,
    isolator,
    address,
    buffers,
    metrics,
    isHttpFast: options.http !== 'node',
  }
}

function passwordOf(databaseUrl = ''): string {
  return URL.canParse(databaseUrl) ? decodeURIComponent(new URL(databaseUrl).password) : ''
}
