import {
  ConnectorInput,
  findSecrets,
  HubError,
  moveSecrets,
  type ConnectorView,
  type DiscoveryPlan,
  type InstallRequest,
  type Isolation,
  type IsolationView,
  type NeededProgram,
  type PlannedConnector,
} from '@herma/contract'
import { join } from 'node:path'
import { isSameServer } from '../client/is-same-server.ts'
import { fillRecipe, type FilledRecipe } from '../recipe/fill-recipe.ts'
import { NeedValues } from '../recipe/need-values.ts'
import { previewAddress, previewCommand, previewRecipe, previewUrl } from '../recipe/preview-command.ts'
import type { Recipe } from '../recipe/recipe.ts'
import { isolate } from './isolate.ts'
import type { Prepared } from './prepared.ts'

/** What a plan has to know of the hub. */
export interface InstallWorld {
  readonly connectors: readonly ConnectorView[]
  readonly programs: readonly NeededProgram[]
  /** Whether the folder of the bundle is there. */
  readonly isFolderThere: boolean
  hasSecret(name: string): boolean
  /** What the process of a connector that is a command may touch. */
  touches(isolation: Isolation | undefined, command: string): IsolationView
  /** Why the one who asks may not have this run. */
  whyRefused(input: ConnectorInput): string | null
}

export interface InstallSteps {
  readonly plan: DiscoveryPlan
  readonly steps: readonly { readonly action: PlannedConnector['action']; readonly filled: FilledRecipe }[]
}

/** Says what an install would do, and what stands in its way. Nothing is changed. */
export function planInstall(prepared: Prepared, request: InstallRequest, world: InstallWorld): InstallSteps {
  const values = new NeedValues(prepared.needs, request.values)
  const missing = values.missing()
  const conflicts = [...prepared.conflicts, ...values.problems(), ...folderConflict(prepared, request, world)]
  const warnings = [...prepared.warnings]
  // In a container the programs are those of its image.
  const isContainer = request.isolation?.type === 'container'
  const lost = isContainer ? [] : world.programs.filter(({ path }) => path === null)
  for (const { name, fix } of lost) {
    const text = `The program '${name}' is not on the PATH of the hub. ${fix}`
    if (request.force) warnings.push(text)
    else conflicts.push(text)
  }
  const connectors: PlannedConnector[] = []
  const steps: { action: PlannedConnector['action']; filled: FilledRecipe }[] = []
  const taken = new Set<string>()
  for (const recipe of prepared.recipes) {
    const name = prepared.bundle === null ? (request.name ?? recipe.name) : recipe.name
    try {
      const isTaken = (secret: string) => world.hasSecret(secret) || taken.has(secret)
      const plain = fillRecipe(recipe, values, { name, isTaken })
      const named = request.storeSecrets ? withNamedSecrets(plain, isTaken) : plain
      const filled = { ...named, input: isolate(named.input, request.isolation) }
      warnings.push(...warnOfSecrets(filled.input))
      for (const secret of filled.secrets) taken.add(secret.name)
      const { action, why, conflict } = decide(filled.input, request, { prepared, world })
      if (conflict !== null) conflicts.push(conflict)
      if (missing.length === 0) conflicts.push(...problemsOf(filled.input))
      const refused = action === 'add' ? world.whyRefused(filled.input) : null
      if (refused !== null) conflicts.push(refused)
      const open = missing.length === 0 ? null : { recipe, prepared }
      const touches =
        filled.input.transport === 'stdio' ? world.touches(request.isolation, filled.input.cmd ?? '') : null
      connectors.push({ ...describe(filled, { action, why }, open), touches })
      steps.push({ action, filled })
    } catch (error) {
      if (!(error instanceof HubError)) throw error
      conflicts.push(error.message)
    }
  }
  const { bundle } = prepared
  const plan: DiscoveryPlan = {
    title: prepared.title,
    isReady: missing.length === 0 && conflicts.length === 0,
    connectors,
    programs: isContainer ? [] : [...world.programs],
    files: (bundle?.files ?? []).map(({ path }) => ({ path: join(bundle!.folder, path), action: 'write', why: '' })),
    secrets: steps.flatMap(({ filled }) => filled.secrets.map(({ name }) => name)),
    tools: [...prepared.tools],
    needs: [...prepared.needs],
    missing,
    conflicts: [...new Set(conflicts)],
    warnings,
  }
  return { plan, steps }
}

/** Values that look like secrets are stored by name too, besides those that the recipe says to be secret. */
function withNamedSecrets({ input, secrets }: FilledRecipe, isTaken: (name: string) => boolean): FilledRecipe {
  const known = new Set(secrets.map(({ name }) => name))
  const moved = moveSecrets(input, (name) => known.has(name) || isTaken(name))
  return { input: moved.connector, secrets: [...secrets, ...moved.secrets.map(({ name, value }) => ({ name, value }))] }
}

function warnOfSecrets(input: ConnectorInput): string[] {
  const found = findSecrets(input).filter(({ isSealed }) => !isSealed)
  const places = [...new Set(found.map(({ label }) => label))]
  if (places.length === 0) return []
  return [
    `'${input.name}': what looks like a secret would be stored in clear: ${places.join(', ')}. ` +
      'Ask for the plan with storeSecrets, or --store-secrets, to store it by name.',
  ]
}

function folderConflict({ bundle }: Prepared, { force }: InstallRequest, { isFolderThere }: InstallWorld): string[] {
  if (bundle === null || !isFolderThere || force) return []
  return [
    `The bundle '${bundle.name}' is there already: ${bundle.folder}. Remove it first, or install it over the old one.`,
  ]
}

interface Decision {
  readonly action: PlannedConnector['action']
  readonly why: string
  readonly conflict: string | null
}

function decide(
  input: ConnectorInput,
  { force }: InstallRequest,
  { prepared, world }: { prepared: Prepared; world: InstallWorld },
): Decision {
  const same = world.connectors.find(({ name }) => name.toLowerCase() === input.name.toLowerCase())
  if (same === undefined) return { action: 'add', why: '', conflict: null }
  if (force) return { action: 'replace', why: 'It takes the place of yours, which does not come back.', conflict: null }
  if (prepared.bundle === null) {
    const conflict = `A connector is named '${same.name}' already. Choose another name, or replace it.`
    return { action: 'add', why: '', conflict }
  }
  // What a person has is never touched unasked: the tools of the bundle use it, if it has what they need.
  const why = isSameServer(input, same)
    ? 'A connector of this name does the same already.'
    : 'You have one of this name. It stays as it is, and the tools of the bundle use it.'
  return { action: 'keep', why, conflict: null }
}

function problemsOf(input: ConnectorInput): string[] {
  const result = ConnectorInput.safeParse(input)
  return result.success
    ? []
    : result.error.issues.map(({ path, message }) => `'${input.name}': ${path.join('.')}: ${message}`)
}

/** While values are missing their names stand in the command. */
function describe(
  { input, secrets }: FilledRecipe,
  { action, why }: Pick<PlannedConnector, 'action' | 'why'>,
  open: { recipe: Recipe; prepared: Prepared } | null,
): Omit<PlannedConnector, 'touches'> {
  const nameOf = (id: string) => open?.prepared.needs.find((need) => need.id === id)?.name ?? id
  const { headers = [], env = [] } = input
  const sealed = [...headers, ...env].filter(({ secret }) => secret === true).map(({ name }) => name)
  const command = input.cmd === undefined ? null : previewCommand(input.cmd, input.args ?? [])
  const url = input.baseUrl === undefined ? null : previewUrl(input.baseUrl)
  return {
    name: input.name,
    action,
    why,
    transport: input.transport,
    command: open === null ? command : previewRecipe(open.recipe, nameOf),
    url: open === null ? url : previewAddress(open.recipe, nameOf),
    env: env.map(({ name }) => name),
    headers: headers.map(({ name }) => name),
    secrets: [...sealed, ...secrets.map(({ name }) => name)],
  }
}
