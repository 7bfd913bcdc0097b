import { createHash } from 'node:crypto'
import { isAbsolute, join, parse, relative, resolve } from 'node:path'
import { HubError, type AggregationState, type StateOperation } from '@herma/contract'
import { isInside } from '../../../platform/file/is-inside.ts'
import type { Log } from '../../../platform/log.ts'
import { isObject, localOperator } from '../../../wire/index.ts'
import type { Arguments } from '../../core/own-tool.ts'
import { changeState, type PathFields } from './change-state.ts'
import { absolutePath, realPathOf } from './confined-path.ts'
import { StateFiles, type StateData } from './state-file.ts'

export interface AggregateStatesOptions {
  readonly stateHome: string
  /** What `{{NAME}}` stands for in paths and defaults, besides the state home. */
  readonly variables?: Readonly<Record<string, string>>
  readonly log: Log
}

/** What all aggregates remember. One per hub, so that a file has one writer at a time however often aggregates are made. */
export class AggregateStates {
  readonly #folder: string
  readonly #options: AggregateStatesOptions
  readonly #variables: Readonly<Record<string, string>>
  readonly #files: StateFiles

  constructor(options: AggregateStatesOptions) {
    const { stateHome, variables, log } = options
    this.#options = options
    this.#variables = { ...variables, HERMA_STATE_HOME: stateHome, STELAE_STATE_HOME: stateHome }
    // Apart from what else is in the state home, so that no definition can name the key or the database.
    this.#folder = join(stateHome, 'aggregate-state')
    this.#files = new StateFiles(stateHome, log)
  }

  /** Throws when the definition names a place where nothing may be kept. */
  open(definition: AggregationState): AggregateState {
    const { stateHome, log } = this.#options
    const rendered = renderVariables(definition, this.#variables) as AggregationState
    const wanted = absolutePath(stateHome, rendered.path)
    if (wanted === resolve(stateHome) || !isInside(resolve(stateHome), wanted)) {
      throw new HubError(
        'FORBIDDEN',
        `The state path '${definition.path}' is not a file inside of ${stateHome}. Give a file name, such as files.json.`,
      )
    }
    const path = join(this.#folder, relative(resolve(stateHome), wanted))
    return new AggregateState(rendered, { path, files: this.#files, log })
  }
}

/** What one aggregate remembers, for each principal apart. */
export class AggregateState {
  readonly #definition: AggregationState
  readonly #place: { readonly path: string; readonly files: StateFiles; readonly log: Log }
  readonly #paths: PathFields
  readonly #defaults: StateData

  constructor(definition: AggregationState, place: { path: string; files: StateFiles; log: Log }) {
    this.#definition = definition
    this.#place = place
    this.#paths = readPathFields(definition)
    const defaults = Object.entries(definition.defaults ?? {})
    this.#defaults = Object.fromEntries(defaults.map(([key, value]) => [key, this.#toDefault(key, value)]))
  }

  operation(value: string): StateOperation | undefined {
    return this.#definition.operations.find((each) => each.value === value)
  }

  async read(principal: string): Promise<StateData> {
    return await this.#complete(await this.#place.files.read(this.#pathFor(principal)))
  }

  /** Throws what `commit` would throw, and changes nothing. */
  async rehearse(principal: string, operation: StateOperation, args: Arguments): Promise<void> {
    await this.#change(await this.read(principal), operation, args)
  }

  /** Makes the changes of an operation that succeeded, and returns what is remembered now. */
  async commit(principal: string, operation: StateOperation, args: Arguments): Promise<StateData> {
    if ((operation.mutations?.length ?? 0) === 0) return await this.read(principal)
    return await this.#place.files.update(this.#pathFor(principal), async (data) =>
      this.#change(await this.#complete(data), operation, args),
    )
  }

  async #change(data: StateData, operation: StateOperation, args: Arguments): Promise<StateData> {
    const { fields } = this.#definition
    const maxLengthOf = (key: string) => fields?.[key]?.maxLength
    return await changeState(data, operation.mutations ?? [], { args, paths: this.#paths, maxLengthOf })
  }

  // The file of the definition is the local operator's; two people never share what is remembered.
  #pathFor(principal: string): string {
    const { path } = this.#place
    if (principal === localOperator) return path
    const { dir, name, ext } = parse(path)
    const digest = createHash('sha256').update(principal).digest('hex').slice(0, 16)
    return join(dir, `${name}.${digest}${ext}`)
  }

  async #complete(data: StateData | undefined): Promise<StateData> {
    const complete: StateData = { ...structuredClone(this.#defaults), ...data }
    for (const [key, root] of this.#paths) {
      const value = complete[key]
      if (typeof value !== 'string' || (await staysInside(root, value))) continue
      this.#place.log.warn('A remembered path leads out of its root; the default is taken.', { key, path: value })
      complete[key] = this.#defaults[key] ?? null
    }
    return complete
  }

  #toDefault(key: string, value: unknown): unknown {
    const root = this.#paths.get(key)
    if (root === undefined || typeof value !== 'string') return value
    const path = absolutePath(root, value)
    if (isInside(root, path)) return path
    throw new HubError('INVALID_PARAMS', `The default of the path '${key}' is outside of its root ${root}.`)
  }
}

/** The fields that hold paths, with the folder that each must stay in: its root, or else its default. */
function readPathFields({ fields, defaults, operations }: AggregationState): PathFields {
  const typed = Object.entries(fields ?? {}).filter(([, field]) => field.type === 'path')
  const mutations = operations.flatMap((operation) => operation.mutations ?? [])
  const treated = mutations.flatMap((each) => (each.action === 'set' && each.asPath === true ? [each.key] : []))
  const keys = new Set([...typed.map(([key]) => key), ...treated])
  return new Map([...keys].map((key) => [key, rootOf(key, fields?.[key]?.root ?? defaults?.[key])]))
}

function rootOf(key: string, root: unknown): string {
  if (typeof root === 'string' && (isAbsolute(root) || /^~(\/|$)/.test(root))) return absolutePath('/', root)
  throw new HubError(
    'INVALID_PARAMS',
    `The path '${key}' needs a root that is an absolute path: the folder that it never leaves.`,
  )
}

async function staysInside(root: string, path: string): Promise<boolean> {
  try {
    const [realRoot, real] = await Promise.all([realPathOf(root), realPathOf(path)])
    return isInside(realRoot, real)
  } catch {
    // A path that cannot be followed, such as a ring of links, is not inside.
    return false
  }
}

function renderVariables(value: unknown, variables: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/\{\{([^{}]*)\}\}/g, (_, name: string) => {
      const key = name.trim()
      if (Object.hasOwn(variables, key)) return variables[key]!
      const known = Object.keys(variables).join(', ')
      throw new HubError('INVALID_PARAMS', `The state names {{${key}}}, which is not known. Known are: ${known}.`)
    })
  }
  if (Array.isArray(value)) return value.map((each) => renderVariables(each, variables))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, renderVariables(each, variables)]))
}
