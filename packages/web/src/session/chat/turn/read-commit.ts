import { count } from '../../../ui/format.ts'
import type { ToolBlock } from './turn.ts'

/** Changes of files are gathered in a turn, and written at its end when nobody objects. */
export function readCommit({ name, arguments: given }: ToolBlock): { files: string[]; diff: string } | null {
  if (name !== 'commit_changes' || typeof given !== 'object' || given === null) return null
  const { files, diff } = given as Partial<Record<string, unknown>>
  return Array.isArray(files) && typeof diff === 'string' ? { files: files.map(String), diff } : null
}

/** What a session wants to do, for `NAME wants to …`. */
export function wishOf(call: ToolBlock): string {
  const commit = readCommit(call)
  return commit === null ? `use ${call.name}` : `write ${count(commit.files.length, 'file')}`
}
