import {
  HubError,
  type CompositeInput,
  type CompositeView,
  type DryRunReport,
  type FileNote,
  type FragmentView,
} from '@herma/contract'
import { z } from 'zod'
import type { Events } from '../../platform/events.ts'
import { createAggregate } from './aggregate/create-aggregate.ts'
import { createPipeline } from './pipeline/create-pipeline.ts'
import type { DescribeMember } from './member.ts'
import { describeDryRun } from './describe-dry-run.ts'
import {
  CompositeFile,
  compositeFile,
  listNames,
  loadDraft,
  mergeFragments,
  type FragmentFolders,
  type MergedCatalog,
} from '../fragment/index.ts'
import type { Arguments } from '../core/own-tool.ts'

interface RegistryOptions {
  readonly folders: FragmentFolders
  readonly events: Events
  /** What is in force. */
  merged(): MergedCatalog
  fragments(): readonly FragmentView[]
  /** Reads the files again. */
  reload(): Promise<void>
  readonly describeMember: DescribeMember
}

/**
 * The aggregates and pipelines of all files, and the one file that people change through the API. What other files say is
 * shown and left alone.
 */
export class Composites {
  readonly #parts: RegistryOptions
  readonly #file: CompositeFile
  #writing: Promise<unknown> = Promise.resolve()

  constructor(parts: RegistryOptions) {
    this.#parts = parts
    this.#file = new CompositeFile(parts.folders)
  }

  /** In the order of their names. */
  async list(): Promise<CompositeView[]> {
    const { aggregations, pipelines } = this.#parts.merged()
    const own = await this.#file.definitions()
    const view = (kind: CompositeView['kind']) => (tool: { name: string; origin: string }) => {
      const { origin: file, ...merged } = tool
      const written = file === compositeFile ? own.get(tool.name) : undefined
      const definition = written ?? merged
      return { name: tool.name, kind, file, isEditable: written !== undefined, definition, ...this.#verdict(tool) }
    }
    const all: CompositeView[] = [...aggregations.map(view('aggregate')), ...pipelines.map(view('pipeline'))]
    return all.toSorted((a, b) => a.name.localeCompare(b.name))
  }

  /** Adds a composite or changes one; a definition with another name renames it. */
  save(name: string, input: CompositeInput): Promise<CompositeView> {
    return this.#inTurn(async () => {
      const document = await this.#file.read()
      const to = input.definition.name
      this.#requireFree(name, to, listNames(document))
      this.check(input)
      await this.#file.write(document, { name, input })
      await this.#parts.reload()
      this.#parts.events.emit('composite.changed', null, { name: to, kind: input.kind })
      const saved = (await this.list()).find((each) => each.name === to)
      if (saved !== undefined) return saved
      throw new HubError('CATALOG_INVALID', `'${to}' is saved, but not in use. See: herma catalog fragments`)
    })
  }

  remove(name: string): Promise<void> {
    return this.#inTurn(async () => {
      const document = await this.#file.read()
      if (!listNames(document).includes(name)) {
        const file = this.#ownerOf(name)
        throw file === undefined ? notFound(name) : belongsTo(name, file)
      }
      await this.#file.write(document, { name, input: null })
      await this.#parts.reload()
      this.#parts.events.emit('composite.removed', null, { name })
    })
  }

  /** Throws with the place of each problem when a definition cannot work. */
  check(input: CompositeInput): void {
    const problems = this.findProblems(input)
    if (problems.length === 0) return
    const cause = new z.ZodError(problems.map((each) => ({ ...each, code: 'custom', input: undefined })))
    const list = problems.map(({ message }) => message).join(' ')
    throw new HubError('CATALOG_INVALID', `'${input.definition.name}' cannot work. ${list}`, { cause })
  }

  /** What is wrong with a definition beyond its shape, with the path of the request. */
  findProblems(input: CompositeInput): { path: string[]; message: string }[] {
    const { errors } = loadDraft(input, this.#parts.folders).view
    if (errors.length > 0) return errors.map(asProblem)
    const { describeMember } = this.#parts
    try {
      // What it remembers was looked at above, and must not be opened for a draft.
      if (input.kind === 'aggregate')
        createAggregate({ ...input.definition, state: undefined, origin: compositeFile }, { describeMember })
      else createPipeline({ ...input.definition, origin: compositeFile }, { describeMember })
      return []
    } catch (error) {
      if (error instanceof HubError) return [{ path: ['definition'], message: error.message }]
      throw error
    }
  }

  /** What a definition would call that is not saved. */
  dryRun(input: CompositeInput, args: Arguments): DryRunReport {
    const problems = this.findProblems(input).map(({ path, message }) => `${path.slice(1).join('.')}: ${message}`)
    if (problems.length > 0) return { calls: [], problems }
    const { catalog } = mergeFragments([loadDraft(input, this.#parts.folders)])
    return describeDryRun(catalog, { tool: input.definition.name, arguments: args }, this.#parts.describeMember)
  }

  #verdict({ name, origin }: { name: string; origin: string }): Pick<CompositeView, 'problem' | 'notes'> {
    const view = this.#parts.fragments().find(({ file }) => file === origin)
    const about = (notes: readonly FileNote[] = []) => notes.filter(({ path }) => path === name)
    return {
      problem: about(view?.errors)[0]?.message ?? null,
      notes: about(view?.differences).map(({ message }) => message),
    }
  }

  #requireFree(name: string, to: string, own: readonly string[]): void {
    if (name !== to && !own.includes(name)) {
      const file = this.#ownerOf(name)
      throw file === undefined ? notFound(name) : belongsTo(name, file)
    }
    if (name !== to && own.includes(to))
      throw new HubError('COMPOSITE_EXISTS', `There is a composite '${to}' already. Choose another name.`)
    const owner = this.#ownerOf(to)
    if (owner !== undefined && owner !== compositeFile) throw belongsTo(to, owner)
  }

  #ownerOf(name: string): string | undefined {
    const { aggregations, pipelines, customTools } = this.#parts.merged()
    return [...aggregations, ...pipelines, ...customTools].find((each) => each.name === name)?.origin
  }

  /** One change at a time, so that none is lost. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#writing.then(run)
    // Whoever asked hears of a failure; the next one starts as if nothing had been.
    this.#writing = turn.catch(() => {})
    return turn
  }
}

function notFound(name: string): HubError {
  return new HubError(
    'TOOL_NOT_FOUND',
    `No aggregate or pipeline is named '${name}'. See: herma catalog composite list`,
  )
}

function belongsTo(name: string, file: string): HubError {
  return new HubError('COMPOSITE_EXISTS', `'${name}' belongs to ${file}. Change it there, or choose another name.`)
}

/** The path of a note is that of a file with this definition alone: `aggregations[0].operations[2].value`. */
function asProblem({ path, message }: FileNote): { path: string[]; message: string } {
  const inside = path.replace(/^(aggregations|pipelines)\[0\]\.?/, '').replaceAll(/\[(\d+)\]/g, '.$1')
  return { path: ['definition', ...inside.split('.').filter((part) => part !== '')], message }
}
