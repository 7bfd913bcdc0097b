import { HubError } from '@herma/contract'
import { compileGlobs, type Stage } from '../../../workspace/index.ts'
import type { AgentTool } from '../../turn/types.ts'
import { defineTool, field } from './define-tool.ts'

export interface EditTools {
  readonly stage: Stage
  /** Only files that match may be written; absent = all that the policy allows. */
  readonly writeGlobs: readonly string[] | undefined
}

const maxEditBytes = 16 * 1024 * 1024

/**
 * What a model changes files with. Changes are staged: nothing is on disk before the commit at the end, so that none of
 * these has an effect of its own.
 */
export function editingTools({ stage, writeGlobs }: EditTools): AgentTool[] {
  const requireWritable = requireGlobs(stage, writeGlobs)
  // A model may edit one file twice in the same step; the second edit has to see the first. The paths are checked in
  // turn too: a check that takes long would let the next edit pass.
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(paths: readonly string[], work: () => Promise<T>): Promise<T> => {
    const checked = async () => {
      for (const path of paths) await requireWritable(path)
      return await work()
    }
    const result = last.then(checked, checked)
    last = result
    return result
  }
  return [
    defineTool({
      name: 'write_file',
      description: 'Creates a file of the workspace, or replaces all of its text. Folders are made as needed.',
      properties: { path: field('string', 'Relative to the folder.'), text: field('string', 'All of the file.') },
      required: ['path', 'text'],
      isReadOnly: true,
      async run({ path, text }) {
        await inTurn([path], () => stage.write(path, text))
        return `'${path}' is written.`
      },
    }),
    defineTool({
      name: 'edit_file',
      description: 'Replaces a piece of text in a file. The piece has to occur exactly once, unless all are meant.',
      properties: {
        path: field('string', 'Relative to the folder.'),
        old_text: field('string', 'As it is in the file, with every space and line end.'),
        new_text: field('string', 'What takes its place.'),
        replace_all: field('boolean', 'Replaces every occurrence.'),
      },
      required: ['path', 'old_text', 'new_text'],
      isReadOnly: true,
      async run({ path, old_text, new_text, replace_all }) {
        return await inTurn([path], async () => {
          const text = await stage.readText(path, { maxBytes: maxEditBytes })
          const count = countOf(text, old_text)
          requireUnique(path, count, replace_all === true)
          await stage.write(
            path,
            text.replaceAll(old_text, () => new_text),
          )
          return count === 1 ? `'${path}' is changed.` : `'${path}' is changed in ${count} places.`
        })
      },
    }),
    defineTool({
      name: 'delete_file',
      description: 'Deletes a file of the workspace.',
      properties: { path: field('string', 'Relative to the folder.') },
      required: ['path'],
      isReadOnly: true,
      async run({ path }) {
        await inTurn([path], () => stage.remove(path))
        return `'${path}' is deleted.`
      },
    }),
    defineTool({
      name: 'move_file',
      description: 'Gives a file of the workspace another name or folder.',
      properties: { from: field('string', 'Its path now.'), to: field('string', 'Its new path.') },
      required: ['from', 'to'],
      isReadOnly: true,
      async run({ from, to }) {
        await inTurn([from, to], () => stage.rename(from, to))
        return `'${from}' is '${to}' now.`
      },
    }),
  ]
}

/** Holds paths against the policy and the globs of a call, by where they really lead. */
export function requireGlobs(stage: Stage, globs: readonly string[] | undefined): (path: string) => Promise<void> {
  const isWritable = globs === undefined ? () => true : compileGlobs(globs)
  return async (path) => {
    const { workspace } = stage
    const real = workspace.nameOf((await workspace.locate(path, 'write')).real)
    if (isWritable(real)) return
    const text = `'${path}' may not be written: this call allows ${globs?.join(', ')}. Change only such files.`
    throw new HubError('PATH_REFUSED', text, { data: { path: real, reason: 'globs' } })
  }
}

function requireUnique(path: string, count: number, isForAll: boolean): void {
  if (count === 0) throw new HubError('INVALID_PARAMS', `old_text does not occur in '${path}'. Read the file again.`)
  if (count === 1 || isForAll) return
  throw new HubError('INVALID_PARAMS', `old_text occurs ${count} times in '${path}'. Give more of what is around it.`)
}

function countOf(text: string, piece: string): number {
  if (piece === '') throw new HubError('INVALID_PARAMS', 'old_text is empty. Use write_file for a new file.')
  return text.split(piece).length - 1
}
