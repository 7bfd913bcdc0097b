import { randomBytes } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { startPipedShell } from '../process/piped-shell.ts'
import { isAlive } from '../process/process-tree.ts'
import type { Cluster } from './cluster/cluster.ts'

/** How long a watchdog may take to stop a server; then what it left is nobody's. */
const stoppingLimitMs = 30_000
const pollMs = 50

/**
 * Ends the server when this process is killed, unless the next hub has taken it over within seconds. Whoever uses the
 * server writes its name into `owner` first and then looks whether a watchdog is stopping it; a watchdog says so first and
 * then looks whether the name is still the one that it knows. So at least one of the two sees the other.
 */
export async function startWatchdog({ folder }: Pick<Cluster, 'folder'>, log: Log): Promise<{ stop(): void }> {
  const owner = randomBytes(8).toString('hex')
  const shell = startPipedShell({
    name: 'herma-watchdog',
    program: watchdogScript,
    env: { HERMA_FOLDER: folder, HERMA_OWNER: owner },
  })
  const draft = join(folder, `owner.${owner}`)
  try {
    await writeFile(draft, `${owner}\n`, { mode: 0o600 })
    await rename(draft, join(folder, 'owner'))
    await waitForOther(join(folder, 'stopping'))
  } catch (error) {
    // A full disk is better explained by the server, which meets it next.
    log.warn('the embedded store is not watched over: it would outlive a hub that is killed', { error })
    await rm(draft, { force: true }).catch(() => undefined)
  }
  return { stop: () => shell.stop() }
}

async function waitForOther(marker: string): Promise<void> {
  const deadline = Date.now() + stoppingLimitMs
  while (Date.now() < deadline) {
    const text = await readFile(marker, 'utf8').catch(() => null)
    if (text === null) return
    // While it is being written, it names nobody.
    if (text.endsWith('\n') && !isAlive(Number(text))) break
    await sleep(pollMs)
  }
  await rm(marker, { force: true })
}

// POSIX shell, because nothing of the hub may be needed once the hub is dead.
const watchdogScript = `
trap '' INT TERM HUP QUIT PIPE TSTP TTIN TTOU

while read -r line; do :; done

is_owned() {
  read -r owner < "$HERMA_FOLDER/owner" || return 1
  [ "$owner" = "$HERMA_OWNER" ]
}

# The lock file of a server that crashed may name a process of somebody else.
is_running() {
  read -r pid < "$HERMA_FOLDER/data/postmaster.pid" || return 1
  if [ -r /proc/self/cmdline ]; then
    command=$(tr '\\000' ' ' < "/proc/$pid/cmdline") || return 1
  else
    command=$(ps -ww -o command= -p "$pid") || return 1
  fi
  case "$command " in
    *postgres*" -D $HERMA_FOLDER/data "*) return 0 ;;
  esac
  return 1
}

# The next hub may be on its way.
for second in 1 2 3; do
  is_running && is_owned || exit 0
  sleep 1
done

echo $$ > "$HERMA_FOLDER/stopping"
if is_owned && is_running; then
  server=$pid
  kill -s INT "$server"
  for second in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    is_running && [ "$pid" = "$server" ] || break
    sleep 1
  done
  is_running && [ "$pid" = "$server" ] && kill -s QUIT "$server"
fi
rm -f "$HERMA_FOLDER/stopping"
`
