import { existsSync } from 'node:fs'
import {
  HubError,
  type ConnectorInput,
  type DiscoveryPlan,
  type DiscoveryReport,
  type InstallRequest,
  type RemoveRequest,
} from '@herma/contract'
import type { Events } from '../../platform/events.ts'
import type { HostPolicy } from '../../platform/process/host-policy.ts'
import { isBundle } from '../bundle/bundle-shelf.ts'
import { readBundleFiles } from '../bundle/read-bundle.ts'
import type { StoredInstall } from '../store.ts'
import { removeBundleFiles } from './bundle-files.ts'
import { findPrograms } from './find-programs.ts'
import { hashConnector } from '../bundle/hash-connector.ts'
import { planInstall, type InstallSteps, type InstallWorld } from './plan-install.ts'
import { planRemoval } from './plan-removal.ts'
import { prepareSource, type Sources } from './prepare-source.ts'
import type { Prepared } from './prepared.ts'
import { emptyReport, runInstall, type InstallHands } from './run-install.ts'

export interface InstallerOptions extends InstallHands {
  readonly sources: Sources
  readonly events: Events
  readonly touches: InstallWorld['touches']
  /** Says who may choose what runs, and bring a bundle of a folder; absent where nobody asks. */
  readonly hostPolicy?: HostPolicy | undefined
}

/** Installs and removes, one thing after the other, and never without a plan. */
export class Installer {
  readonly #options: InstallerOptions
  #changes: Promise<unknown> = Promise.resolve()

  constructor(options: InstallerOptions) {
    this.#options = options
  }

  async plan(request: InstallRequest): Promise<DiscoveryPlan> {
    return (await this.#prepare(request)).steps.plan
  }

  install(request: InstallRequest): Promise<DiscoveryReport> {
    return this.#change(async () => {
      const { prepared, steps } = await this.#prepare(request)
      const { plan } = steps
      if (!plan.isReady) {
        const missing = plan.needs.filter(({ id }) => plan.missing.includes(id))
        const errors = [...plan.conflicts, ...missing.map(({ name, id }) => `${name} needs a value (${id}).`)]
        return { ...emptyReport, warnings: plan.warnings, errors }
      }
      const report = await runInstall(prepared, steps, this.#options)
      if (report.status === 'ok' && prepared.bundle !== null) {
        const { added, replaced } = report.details
        this.#options.events.emit('bundle.added', null, { name: prepared.bundle.name, added, replaced })
      }
      return report
    })
  }

  async planRemoval(request: RemoveRequest): Promise<DiscoveryPlan> {
    return (await this.#prepareRemoval(request)).plan
  }

  remove(request: RemoveRequest): Promise<DiscoveryReport> {
    return this.#change(async () => {
      const { record, plan, folder } = await this.#prepareRemoval(request)
      const { connectors, secrets, store, events } = this.#options
      const going = plan.connectors.filter(({ action }) => action === 'remove').map(({ name }) => name)
      const files = plan.files.filter(({ action }) => action === 'remove').map(({ path }) => path)
      for (const name of going) await connectors.remove(name)
      for (const name of plan.secrets) await secrets.remove(name)
      if (record.kind === 'bundle') await removeBundleFiles(folder, files)
      await store.removeInstall(record.kind, record.key)
      if (record.kind === 'bundle') events.emit('bundle.removed', null, { name: record.key, removed: going })
      const kept = [...plan.connectors, ...plan.files].filter(({ action }) => action === 'keep')
      const keptNames = kept.map((each) => ('path' in each ? each.path : each.name))
      const details = { ...emptyReport.details, removed: going, kept: keptNames, secrets: plan.secrets }
      return { ...emptyReport, status: 'ok', details, files_updated: files, warnings: plan.warnings }
    })
  }

  async #prepare(request: InstallRequest): Promise<{ prepared: Prepared; steps: InstallSteps }> {
    const { connectors, secrets, sources } = this.#options
    const { source } = request
    if (source.kind === 'bundle' && source.folder !== undefined)
      this.#options.hostPolicy?.requireFolders(`The bundle '${source.name}'`, [source.folder])
    const prepared = await prepareSource(request, sources)
    const programs = await findPrograms(prepared.recipes.flatMap(({ cmd }) => cmd ?? []))
    const steps = planInstall(prepared, request, {
      connectors: connectors.list(),
      programs,
      isFolderThere: prepared.bundle !== null && isBundle(prepared.bundle.folder),
      hasSecret: (name) => secrets.has(name),
      touches: (isolation, command) => this.#options.touches(isolation, command),
      whyRefused: (input) => this.#whyRefused(input),
    })
    return { prepared, steps }
  }

  /** Why who is acting may not have a new connector run what it does. */
  #whyRefused({ name, transport, cmd = '', args = [], env = [], workingDir }: ConnectorInput): string | null {
    if (transport !== 'stdio') return null
    const command = { command: cmd, args, env: env.map((each) => each.name), folder: workingDir ?? null }
    try {
      this.#options.hostPolicy?.requireCommand(`The connector '${name}'`, command)
      return null
    } catch (error) {
      if (error instanceof HubError) return error.message
      throw error
    }
  }

  async #prepareRemoval(request: RemoveRequest) {
    const { connectors, secrets, sources } = this.#options
    const record = await this.#findRecord(request)
    const folder = request.kind === 'bundle' ? sources.shelf.folderOf(request.name) : ''
    const files = folder !== '' && existsSync(folder) ? await readBundleFiles(folder) : []
    const users = new Map(secrets.list().map(({ name, usedBy }) => [name, usedBy]))
    const world = { connectors: connectors.list(), files, folder, usersOf: (secret: string) => users.get(secret) }
    return { record, folder, plan: planRemoval(record, request, world) }
  }

  /** A connector that was added by hand has no record; it is removed alone. */
  async #findRecord({ kind, name }: RemoveRequest): Promise<StoredInstall> {
    const installs = await this.#options.store.loadInstalls()
    if (kind === 'bundle') {
      const record = installs.find((each) => each.kind === 'bundle' && each.key === name)
      if (record !== undefined) return record
      const folder = this.#options.sources.shelf.folderOf(name)
      const next = existsSync(folder)
        ? `It was put there by hand: remove the folder ${folder}.`
        : 'See: herma bundle list'
      throw new HubError('BUNDLE_NOT_FOUND', `The bundle '${name}' was not installed by Herma. ${next}`)
    }
    const connector = this.#options.connectors.list().find((each) => each.name.toLowerCase() === name.toLowerCase())
    if (connector === undefined)
      throw new HubError('CONNECTOR_NOT_FOUND', `No connector is named '${name}'. See: herma list`)
    const record = installs.find((each) => each.kind === 'connector' && each.key === connector.id)
    const brought = [{ id: connector.id, name: connector.name, hash: hashConnector(connector) }]
    if (record !== undefined) return { ...record, connectors: brought }
    const source = { kind: 'client' as const, client: 'none', name }
    const alone = { source, title: connector.name, connectors: brought, files: [], secrets: [] }
    return { ...alone, kind: 'connector', key: connector.id, createdAt: new Date() }
  }

  #change<T>(make: () => Promise<T>): Promise<T> {
    const made = this.#changes.then(make)
    this.#changes = made.catch(() => undefined)
    return made
  }
}
