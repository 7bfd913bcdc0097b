import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from './run-command.ts'

/**
 * Says why a command did not start, and what to do. The system only says that "something" was not found, which may be
 * the folder, the program, or the interpreter that its first line names; so we look.
 */
export async function explainStartFailure(
  command: Command,
  origin: string,
  error: NodeJS.ErrnoException,
): Promise<string> {
  if (['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'].includes(error.code ?? '')) {
    return `the system has no room for another process (${error.code}). Try again later.`
  }
  if (error.code === 'E2BIG') return `its arguments and environment are too large. Make them smaller in ${origin}.`
  return (await explainFolder(command, origin)) ?? (await explainProgram(command, origin)) ?? `${error.message}.`
}

async function explainFolder({ cwd }: Command, origin: string): Promise<string | undefined> {
  const folder = await look(cwd)
  if (folder === undefined)
    return `there is no folder ${cwd}. Create it, or change "cwd" in ${origin}.${shellHint(cwd)}`
  return folder.isDirectory() ? undefined : `${cwd} is not a folder. Change "cwd" in ${origin}.`
}

async function explainProgram({ file, cwd, env }: Command, origin: string): Promise<string | undefined> {
  const isPath = file.includes('/')
  const folders = isPath ? [cwd] : (env['PATH'] ?? '').split(':').filter((folder) => folder !== '')
  const places = folders.map((folder) => resolve(cwd, folder, file))
  const found = await Promise.all(places.map(async (path) => ({ path, entry: await look(path) })))
  const program = found.find(({ entry }) => entry !== undefined)
  if (program === undefined) {
    const where = isPath ? `there is no file ${places[0]}` : `there is no '${file}' in the folders of PATH`
    return `${where}. Install it, or change "command" in ${origin}.${shellHint(file)}`
  }
  if (!program.entry?.isFile()) return `${program.path} is not a file. Change "command" in ${origin}.`
  if (!(await isExecutable(program.path))) return `${program.path} may not be executed. Run: chmod +x ${program.path}`
  return `${program.path} cannot be run: its first line names an interpreter that is not there. Correct that line.`
}

/** People expect what a shell would do. */
function shellHint(text: string): string {
  return /^~|\$/.test(text) ? ' No shell is involved, so ~ and $ have no meaning; {{HERMA_CONFIG_HOME}} has one.' : ''
}

async function look(path: string) {
  try {
    return await stat(path)
  } catch {
    // Missing, or in a folder that we may not enter: for the command it is the same.
    return undefined
  }
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
