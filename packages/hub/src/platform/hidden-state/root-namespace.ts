import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'

/** A user namespace in which everybody is who they are, and root has no power over what is outside of it. */
export interface RootNamespace extends Disposable {
  /** A path that leads to it while this process runs. */
  readonly path: string
}

/**
 * Without one, a server that runs as root could reach the hub's files through `/proc/PID/root` of any process with fewer
 * capabilities. It lives as long as this process has it open; no process stays behind for it.
 */
export async function openRootNamespace(unshare: string): Promise<RootNamespace> {
  // It echoes what it is told once it is in its namespace.
  const holder = spawn(unshare, ['--user', '--', '/bin/cat'], { stdio: ['pipe', 'pipe', 'ignore'], env: {}, cwd: '/' })
  holder.stdin.on('error', () => undefined)
  const exited = once(holder, 'exit')
  holder.stdin.write('here\n')
  try {
    await Promise.race([
      once(holder.stdout, 'data'),
      exited.then(() => Promise.reject(new Error('user namespaces are not permitted'))),
    ])
    for (const map of ['uid_map', 'gid_map']) writeFileSync(`/proc/${holder.pid}/${map}`, sameIds(`/proc/self/${map}`))
    const descriptor = openSync(`/proc/${holder.pid}/ns/user`, 'r')
    return {
      path: `/proc/${process.pid}/fd/${descriptor}`,
      [Symbol.dispose]: () => closeSync(descriptor),
    }
  } finally {
    holder.stdin.end()
    await exited.catch(() => undefined)
  }
}

/** Every user that there is here is the same one there. */
function sameIds(file: string): string {
  const ranges = readFileSync(file, 'utf8').trim().split('\n')
  return ranges
    .map((range) => range.trim().split(/\s+/))
    .map(([first, , count]) => `${first} ${first} ${count}\n`)
    .join('')
}
