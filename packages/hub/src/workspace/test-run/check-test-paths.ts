import { lstat } from 'node:fs/promises'
import { isAbsolute, join, normalize } from 'node:path'
import { HubError } from '@herma/contract'

const maxPaths = 500

/**
 * Paths become arguments of a program, so none may pass for an option, leave the folder, or be missing. After `::` a
 * name of a test may follow, as pytest has it.
 */
export async function checkTestPaths(cwd: string, paths: readonly string[]): Promise<void> {
  if (paths.length > maxPaths) throw refuse(`${paths.length} paths`, `are more than ${maxPaths}. Name folders instead.`)
  for (const path of paths) {
    const file = path.split('::', 1)[0]!
    if (file === '' || path.includes('\0')) throw refuse(JSON.stringify(path), 'is not a path.')
    if (path.startsWith('-')) throw refuse(`'${path}'`, `begins with '-'. Write './${path}' if it is a file.`)
    if (isAbsolute(file) || normalize(file).split('/')[0] === '..') {
      throw refuse(`'${path}'`, 'is not below the working directory. Write it relative to that.')
    }
    await lstat(join(cwd, file)).catch((cause: unknown) => {
      throw refuse(`'${path}'`, `is not in ${cwd}. Look with search.code, or leave the paths out.`, cause)
    })
  }
}

function refuse(what: string, why: string, cause?: unknown): HubError {
  return new HubError('INVALID_PARAMS', `"paths": ${what} ${why}`, { cause })
}
