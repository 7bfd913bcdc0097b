import { isObject } from '../../wire/index.ts'
import type { FragmentProblem } from './check/explain-issue.ts'
import type { JsonPath } from './json/json-path.ts'

/** The folders that a fragment may name. All are absolute. */
export interface FragmentFolders {
  readonly configHome: string
  readonly stateHome: string
  /** The folder that path fields stay in when nothing else is said. */
  readonly workspace: string
}

export interface FilledPlaceholders {
  readonly errors: FragmentProblem[]
  readonly differences: FragmentProblem[]
}

/**
 * Replaces `{{HERMA_STATE_HOME}}` and its like in the state of aggregates, in place. Stelae's names for the same folders
 * are taken too, and reported. A path with an unknown name is an error, for it would lead somewhere else.
 */
export function fillPlaceholders(fragment: unknown, folders: FragmentFolders): FilledPlaceholders {
  const filled: FilledPlaceholders = { errors: [], differences: [] }
  const aggregations = isObject(fragment) ? fragment['aggregations'] : undefined
  if (!Array.isArray(aggregations)) return filled
  const filler = new Filler(folders, filled)
  for (const [index, aggregation] of aggregations.entries()) {
    const state: unknown = isObject(aggregation) ? aggregation['state'] : undefined
    if (!isObject(state)) continue
    const path = ['aggregations', index, 'state']
    filler.fill(state, 'path', { path, isPath: true })
    filler.fill(state, 'defaults', { path, isPath: false })
    const fields = state['fields']
    if (!isObject(fields)) continue
    for (const [name, field] of Object.entries(fields)) {
      if (isObject(field)) filler.fill(field, 'root', { path: [...path, 'fields', name], isPath: true })
    }
  }
  return filled
}

class Filler {
  readonly #folders: FragmentFolders
  readonly #filled: FilledPlaceholders

  constructor(folders: FragmentFolders, filled: FilledPlaceholders) {
    this.#folders = folders
    this.#filled = filled
  }

  fill(
    owner: Record<string | number, unknown>,
    key: string | number,
    place: { path: JsonPath; isPath: boolean },
  ): void {
    const value = owner[key]
    const path = [...place.path, key]
    if (typeof value === 'string') owner[key] = this.#fillText(value, { path, isPath: place.isPath })
    else if (Array.isArray(value)) {
      const list = value as unknown as Record<number, unknown>
      for (const index of value.keys()) this.fill(list, index, { path, isPath: place.isPath })
    } else if (isObject(value)) {
      for (const name of Object.keys(value)) this.fill(value, name, { path, isPath: place.isPath })
    }
  }

  #fillText(text: string, { path, isPath }: { path: JsonPath; isPath: boolean }): string {
    return text.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => {
      const folder = this.#folderOf(name)
      if (folder === undefined) {
        const problem = {
          path,
          message: `${whole} is unknown. Known are ${hermaNames.map((each) => `{{${each}}}`).join(', ')}.`,
          at: 'value' as const,
        }
        if (isPath) this.#filled.errors.push(problem)
        else if (name.startsWith('STELAE_')) this.#filled.differences.push(problem)
        return whole
      }
      if (name.startsWith('STELAE_')) {
        const message = `${whole} is taken as ${folder}. In Herma it is {{${hermaNameOf(name)}}}.`
        this.#filled.differences.push({ path, message, at: 'value' })
      }
      return folder
    })
  }

  #folderOf(name: string): string | undefined {
    const { configHome, stateHome, workspace } = this.#folders
    if (name === 'HERMA_CONFIG_HOME' || name === 'STELAE_CONFIG_HOME') return configHome
    if (name === 'HERMA_STATE_HOME' || name === 'STELAE_STATE_HOME') return stateHome
    return name === 'HERMA_WORKSPACE' || name === 'STELAE_DIR' ? workspace : undefined
  }
}

const hermaNames = ['HERMA_CONFIG_HOME', 'HERMA_STATE_HOME', 'HERMA_WORKSPACE']

function hermaNameOf(stelaeName: string): string {
  return stelaeName === 'STELAE_DIR' ? 'HERMA_WORKSPACE' : stelaeName.replace('STELAE', 'HERMA')
}
