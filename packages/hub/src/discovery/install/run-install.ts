import {
  HubError,
  Isolation,
  type ConnectorInput,
  type ConnectorPatch,
  type ConnectorView,
  type DiscoveryReport,
} from '@herma/contract'
import type { Log } from '../../platform/log.ts'
import { isBundle } from '../bundle/bundle-shelf.ts'
import type { DiscoveryConnectors, DiscoverySecrets } from '../ports.ts'
import type { DiscoveryStore, InstallRecord } from '../store.ts'
import { removeBundleFiles, writeBundleFiles } from './bundle-files.ts'
import { hashConnector } from '../bundle/hash-connector.ts'
import type { InstallSteps } from './plan-install.ts'
import type { Prepared } from './prepared.ts'

export interface InstallHands {
  readonly connectors: DiscoveryConnectors
  readonly secrets: DiscoverySecrets
  readonly store: DiscoveryStore
  readonly log: Log
}

export const emptyReport: DiscoveryReport = {
  status: 'failed',
  details: { added: [], replaced: [], removed: [], kept: [], secrets: [], tools: [] },
  files_updated: [],
  commands_run: [],
  warnings: [],
  errors: [],
}

/** Does what a plan says. When a step fails, those before it are undone and the report says why. */
export async function runInstall(
  prepared: Prepared,
  { plan, steps }: InstallSteps,
  hands: InstallHands,
): Promise<DiscoveryReport> {
  const { connectors, secrets, store, log } = hands
  const undo: (() => Promise<unknown>)[] = []
  const there: ConnectorView[] = []
  const files: string[] = []
  try {
    for (const { name, value } of steps.flatMap(({ filled }) => filled.secrets)) {
      await secrets.set(name, { value, description: `Of ${prepared.title}` })
      undo.push(() => secrets.remove(name, true))
    }
    for (const { filled } of steps.filter(({ action }) => action === 'add')) {
      const added = await connectors.add(filled.input)
      undo.push(() => connectors.remove(added.name))
      there.push(added)
    }
    const { bundle } = prepared
    if (bundle !== null) {
      const paths = bundle.files.map(({ path }) => `${bundle.folder}/${path}`)
      // What was written over an older one cannot be brought back, and must not be lost either.
      if (!isBundle(bundle.folder)) undo.push(() => removeBundleFiles(bundle.folder, paths))
      files.push(...(await writeBundleFiles(bundle.folder, bundle.files)))
    }
    // Last, because the old ones cannot be brought back.
    for (const { filled } of steps.filter(({ action }) => action === 'replace')) {
      there.push(await connectors.update(filled.input.name, toPatch(filled.input)))
    }
    await save(prepared, there, { plan, store })
  } catch (error) {
    for (const step of undo.toReversed())
      await step().catch((cause: unknown) => log.error('a step of an install could not be undone', { error: cause }))
    if (!(error instanceof HubError) && !isFileError(error)) throw error
    return { ...emptyReport, warnings: plan.warnings, errors: [(error as Error).message] }
  }
  const named = (action: string) => plan.connectors.filter((each) => each.action === action).map(({ name }) => name)
  const started = plan.connectors.filter(({ action }) => action === 'add' || action === 'replace')
  return {
    ...emptyReport,
    status: 'ok',
    details: {
      ...emptyReport.details,
      added: named('add'),
      replaced: named('replace'),
      kept: named('keep'),
      secrets: plan.secrets,
      tools: plan.tools,
    },
    files_updated: files,
    commands_run: started.flatMap(({ command }) => command ?? []),
    warnings: plan.warnings,
  }
}

async function save(
  { source, title, bundle }: Prepared,
  there: readonly ConnectorView[],
  { plan, store }: { plan: InstallSteps['plan']; store: DiscoveryStore },
): Promise<void> {
  const record: InstallRecord = {
    source,
    title,
    connectors: there.map((connector) => ({ id: connector.id, name: connector.name, hash: hashConnector(connector) })),
    files: (bundle?.files ?? []).map(({ path, hash }) => ({ path, hash })),
    secrets: plan.secrets,
  }
  if (bundle !== null) await store.saveInstall('bundle', bundle.name, record)
  else if (there[0] !== undefined) await store.saveInstall('connector', there[0].id, record)
}

/** Everything that the connector had is replaced; its name and what refers to it stay. */
function toPatch({
  name: _name,
  kind: _kind,
  notes: _notes,
  oauth: _oauth,
  options: _options,
  isolation,
  ...input
}: ConnectorInput): ConnectorPatch {
  const { description = '', enabled = true, headers = [], args = [], env = [] } = input
  return {
    ...input,
    description,
    enabled,
    headers,
    args,
    env,
    baseUrl: input.baseUrl ?? null,
    endpointPath: input.endpointPath ?? null,
    cmd: input.cmd ?? null,
    workingDir: input.workingDir ?? null,
    // A person who isolated it goes on to do so, whatever its program is now.
    ...(isolation !== undefined && { isolation: Isolation.parse(isolation) }),
    ...(input.transport !== 'stdio' && { isolation: null }),
    oauth: null,
  }
}

function isFileError(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException).syscall === 'string'
}
