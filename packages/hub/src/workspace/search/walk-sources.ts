import { walkFolders, type FolderWalkOptions } from './walk-folders.ts'

/** The ordinary files of a folder that somebody may have written, as relative paths with `/`. */
export async function* walkSources(options: FolderWalkOptions): AsyncGenerator<string> {
  for await (const { prefix, files } of walkFolders(options)) {
    for (const name of files) yield prefix + name
  }
}
