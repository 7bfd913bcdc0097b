import { stat } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { HubError, type Team } from '@herma/contract'
import { z } from 'zod'
import type { TeamPaths } from '../ports.ts'

type Places = Pick<Team, 'workingDir' | 'paths'>

interface Problem {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/**
 * Throws INVALID_PARAMS, naming the fields, for folders and globs that cannot be used. A folder that went since it was set
 * is no reason to refuse other changes.
 */
export async function checkTeam(
  team: Places,
  before: Places,
  { checkGlob }: Pick<TeamPaths, 'checkGlob'>,
): Promise<void> {
  const problems: Problem[] = []
  const { workingDir, paths } = team
  if (workingDir !== null && workingDir !== before.workingDir) {
    const message = await problemOfFolder(workingDir)
    if (message !== null) problems.push({ path: ['workingDir'], message })
  }
  if (!isDeepStrictEqual(paths, before.paths)) {
    problems.push(
      ...(await problemsOfRoots(paths.roots, workingDir)),
      ...problemsOfGlobs(paths.denied ?? [], checkGlob),
    )
  }
  if (problems.length === 0) return
  const text = problems.map(({ path, message }) => `${path.join('.')}: ${message}`).join(' ')
  const cause = new z.ZodError(
    problems.map(({ path, message }) => ({ code: 'custom', path: [...path], message, input: undefined })),
  )
  throw new HubError('INVALID_PARAMS', text, { cause })
}

async function problemsOfRoots(roots: readonly string[], workingDir: string | null): Promise<Problem[]> {
  const found = roots.map(async (root, index) => {
    const message = await problemOfFolder(workingDir === null ? root : resolve(workingDir, root))
    return message === null ? [] : [{ path: ['paths', 'roots', index], message }]
  })
  return (await Promise.all(found)).flat()
}

function problemsOfGlobs(globs: readonly string[], checkGlob: TeamPaths['checkGlob']): Problem[] {
  return globs.flatMap((glob, index) => {
    try {
      checkGlob(glob)
      return []
    } catch (error) {
      return [{ path: ['paths', 'denied', index], message: (error as Error).message }]
    }
  })
}

async function problemOfFolder(folder: string): Promise<string | null> {
  if (!isAbsolute(folder)) return 'This is not an absolute path. Give one that begins with /.'
  const found = await stat(folder).catch(() => null)
  return found?.isDirectory() === true ? null : `There is no folder ${folder}. Make it first, or name another.`
}
