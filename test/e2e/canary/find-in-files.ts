import { spawnSync } from 'node:child_process'

/** The files under a folder that hold one of these texts. */
export function findInFiles(folder: string, texts: readonly string[], except: readonly string[] = []): string[] {
  const args = ['-raFlf', '-', ...except.map((name) => `--exclude=${name}`), folder]
  const { status, stdout, stderr } = spawnSync('grep', args, {
    input: `${texts.join('\n')}\n`,
    encoding: 'utf8',
    // Bytes are compared as they are, whatever the files hold.
    env: { ...process.env, LC_ALL: 'C' },
  })
  // A file of the database that was removed in between is no failure; grep ends with 1 when it found nothing.
  if (status === null || (status > 1 && !/No such file/.test(stderr))) throw new Error(`grep failed: ${stderr}`)
  return stdout.split('\n').filter(Boolean)
}
