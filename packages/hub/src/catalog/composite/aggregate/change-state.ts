import { stat } from 'node:fs/promises'
import { HubError, type StateMutation, type ValueSource } from '@herma/contract'
import { isInside } from '../../../platform/file/is-inside.ts'
import type { Arguments } from '../../core/own-tool.ts'
import { absolutePath, realPathOf } from './confined-path.ts'
import { maxStateBytes, type StateData } from './state-file.ts'
import { readPath } from '../value/value-path.ts'

/** By the key of the state: the folder that the path there never leaves. */
export type PathFields = ReadonlyMap<string, string>

export interface StateChange {
  readonly args: Arguments
  readonly paths: PathFields
  readonly maxLengthOf: (key: string) => number | undefined
}

type SetMutation = Extract<StateMutation, { action: 'set' }>
type AppendMutation = Extract<StateMutation, { action: 'append' }>

const maxTextLength = 4000
const defaultMaxLength = 1000
/** In characters, of up to three bytes each, so that a list leaves room for the rest. */
const maxListChars = maxStateBytes / 4

/** What is remembered after the mutations. Throws INVALID_PARAMS for a value that must not be remembered. */
export async function changeState(
  data: StateData,
  mutations: readonly StateMutation[],
  change: StateChange,
): Promise<StateData> {
  let next = data
  for (const mutation of mutations) {
    next = mutation.action === 'set' ? await setValue(next, mutation, change) : appendEntry(next, mutation, change)
  }
  if (Buffer.byteLength(JSON.stringify(next)) <= maxStateBytes) return next
  throw new HubError(
    'INVALID_PARAMS',
    `There is too much to remember: at most ${maxStateBytes / 1024} KiB. Give shorter values.`,
  )
}

async function setValue(data: StateData, mutation: SetMutation, { args, paths }: StateChange): Promise<StateData> {
  const value = resolveSource(mutation.source, args, data)
  if (value === undefined || value === null) return data
  const root = paths.get(mutation.key)
  return {
    ...data,
    [mutation.key]: root === undefined ? structuredClone(value) : await toFolder(value, root, { mutation, data }),
  }
}

/** The newest entry comes first, and the oldest ones are forgotten. */
function appendEntry(data: StateData, mutation: AppendMutation, { args, maxLengthOf }: StateChange): StateData {
  const { key, value, maxLength } = mutation
  const entry = Object.fromEntries(
    Object.entries(value).map(([field, source]) => [field, cutText(resolveSource(source, args, data) ?? null)]),
  )
  const before: unknown[] = Array.isArray(data[key]) ? data[key] : []
  const limit = Math.min(maxLength ?? Infinity, maxLengthOf(key) ?? Infinity)
  const entries = [entry, ...before].slice(0, limit === Infinity ? defaultMaxLength : limit)
  let chars = 0
  const fitting = entries.findIndex((each) => (chars += JSON.stringify(each).length) > maxListChars)
  return { ...data, [key]: fitting < 0 ? entries : entries.slice(0, fitting) }
}

function resolveSource(source: ValueSource, args: Arguments, data: StateData): unknown {
  switch (source.type) {
    case 'argument':
      return readPath(args, source.path)
    case 'state':
      return Object.hasOwn(data, source.key) ? data[source.key] : undefined
    case 'literal':
      return source.value
  }
}

// A history says what was done; the whole of a long text is not needed for that.
function cutText(value: unknown): unknown {
  if (typeof value === 'string') return value.length > maxTextLength ? `${value.slice(0, maxTextLength)}…` : value
  const text = JSON.stringify(value)
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : structuredClone(value)
}

async function toFolder(
  value: unknown,
  root: string,
  { mutation, data }: { mutation: SetMutation; data: StateData },
): Promise<string> {
  if (typeof value !== 'string' || value.includes('\0')) throw invalid(`'${mutation.key}' must be a path`)
  const current = data[mutation.key]
  const base = mutation.relativeToCurrent === true && typeof current === 'string' ? current : root
  try {
    const [realRoot, path] = await Promise.all([realPathOf(root), realPathOf(absolutePath(base, value))])
    if (!isInside(realRoot, path)) throw invalid(`'${value}' is outside of ${root}`)
    const isFolder = await stat(path).then((found) => found.isDirectory(), ifMissing(mutation.requireExists !== true))
    if (isFolder) return path
  } catch (error) {
    if (error instanceof HubError) throw error
    throw invalid(`'${value}' cannot be followed: ${(error as Error).message}`)
  }
  throw invalid(`'${value}' is no folder${mutation.requireExists === true ? ' that exists' : ''}`)
}

function ifMissing(answer: boolean): (error: NodeJS.ErrnoException) => boolean {
  return (error) => {
    if (error.code === 'ENOENT') return answer
    throw error
  }
}

function invalid(problem: string): HubError {
  return new HubError('INVALID_PARAMS', `${problem}. Give a folder inside of the root.`)
}
