import { type FSWatcher, watch } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readFragmentStamp } from './fragment-stamp.ts'

const debounceMs = 100
/** A file that is written all the time is still read this often. */
const longestDebounceMs = 500
const fastPollMs = 500
/** Some file systems, such as mounts of a virtual machine, report nothing and say nothing of it. */
const slowPollMs = 5000
const maxFolders = 200

export interface FragmentWatcherOptions {
  readonly configHome: string
  /** Called after something changed; the files may change again while it runs. */
  readonly onChange: () => void
  /** The watch of the operating system; tests make it fail. */
  readonly watchFolder?: typeof watch
}

interface WatchedFolder {
  readonly watcher: FSWatcher
  readonly identity: string
}

/**
 * Tells when a file of the catalog changed. Folders may come and go, the config home too: each change is followed by a
 * look at which folders there are. What cannot be watched is polled.
 */
export class FragmentWatcher {
  readonly #options: FragmentWatcherOptions
  readonly #folders = new Map<string, WatchedFolder>()
  #isRunning = false
  #isComplete = false
  #stamp = ''
  #debounce: NodeJS.Timeout | undefined
  #firstEventAt = 0
  #poll: NodeJS.Timeout | undefined
  #look: Promise<void> = Promise.resolve()

  constructor(options: FragmentWatcherOptions) {
    this.#options = options
  }

  /** Resolves when every change from now on will be seen. */
  async start(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    await this.#enqueue(async () => {
      await this.#updateFolders()
      this.#stamp = await readFragmentStamp(this.#options.configHome)
    })
  }

  /** Resolves when nothing is watched any more and `onChange` will not be called again. */
  async stop(): Promise<void> {
    this.#isRunning = false
    clearTimeout(this.#debounce)
    clearTimeout(this.#poll)
    this.#debounce = undefined
    await this.#look
    for (const path of this.#folders.keys()) this.#unwatch(path)
  }

  #onEvent(path: string, file: string | null): void {
    if (!this.#isRunning || !this.#concerns(path, file)) return
    // Most likely the folder itself is gone; a new one of its name may look just like it.
    if (file === basename(path)) this.#unwatch(path)
    const now = performance.now()
    if (this.#debounce === undefined) this.#firstEventAt = now
    else if (now - this.#firstEventAt > longestDebounceMs - debounceMs) return
    clearTimeout(this.#debounce)
    this.#debounce = setTimeout(() => {
      this.#debounce = undefined
      void this.#enqueue(() => this.#report())
    }, debounceMs)
  }

  /** The config home holds more than the catalog, and editors put their own files beside those they edit. */
  #concerns(path: string, file: string | null): boolean {
    // A folder that is itself removed or renamed reports its own name.
    if (file === null || file === basename(path)) return true
    const { configHome } = this.#options
    if (path === configHome) return ['catalog', 'bundles', 'custom_tools.json'].includes(file)
    if (path === join(configHome, 'catalog')) return file.endsWith('.json') && !file.startsWith('.')
    return path === join(configHome, 'bundles') || file === 'catalog.json'
  }

  async #report(): Promise<void> {
    // Folders first: what is written after they are watched comes as an event of its own.
    await this.#updateFolders()
    this.#stamp = await readFragmentStamp(this.#options.configHome)
    if (this.#isRunning) this.#options.onChange()
  }

  #schedulePoll(): void {
    clearTimeout(this.#poll)
    if (!this.#isRunning) return
    const delay = this.#isComplete ? slowPollMs : fastPollMs
    this.#poll = setTimeout(() => {
      void this.#enqueue(async () => {
        const stamp = await readFragmentStamp(this.#options.configHome)
        if (stamp !== this.#stamp) await this.#report()
        else if (!this.#isComplete) await this.#updateFolders()
      })
    }, delay)
    this.#poll.unref()
  }

  // One look at a time, so that a slow disk cannot pile them up and none overlaps with stop.
  #enqueue(look: () => Promise<void>): Promise<void> {
    const done = this.#look.then(() => (this.#isRunning ? look() : undefined)).finally(() => this.#schedulePoll())
    // A listener that throws is heard by whoever waits for `done`; the next look happens all the same.
    this.#look = done.catch(() => undefined)
    return done
  }

  async #updateFolders(): Promise<void> {
    const { configHome } = this.#options
    const bundles = join(configHome, 'bundles')
    const entries = await readdir(bundles, { withFileTypes: true }).catch(() => [])
    const bundleFolders = entries
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map(({ name }) => join(bundles, name))
    const optional = [join(configHome, 'catalog'), bundles, ...bundleFolders.slice(0, maxFolders)]
    const isHomeWatched = await this.#ensureWatched(configHome)
    const results = await Promise.all(optional.map((path) => this.#ensureWatched(path)))
    for (const path of this.#folders.keys()) {
      if (path !== configHome && !optional.includes(path)) this.#unwatch(path)
    }
    this.#isComplete = isHomeWatched === 'watched' && !results.includes('failed') && bundleFolders.length <= maxFolders
  }

  async #ensureWatched(path: string): Promise<'watched' | 'absent' | 'failed'> {
    const watched = this.#folders.get(path)
    const stats = await stat(path, { bigint: true }).catch(() => undefined)
    if (stats === undefined || !stats.isDirectory()) {
      this.#unwatch(path)
      return 'absent'
    }
    const identity = `${stats.ino} ${stats.birthtimeNs}`
    if (watched?.identity === identity) return 'watched'
    this.#unwatch(path)
    try {
      const watcher = (this.#options.watchFolder ?? watch)(path, { persistent: false })
      this.#folders.set(path, { watcher, identity })
      watcher.on('change', (_, file) => this.#onEvent(path, file === null ? null : String(file)))
      watcher.on('error', () => {
        // Polling takes over, and tries to watch again.
        this.#unwatch(path)
        this.#isComplete = false
        this.#schedulePoll()
      })
      return 'watched'
    } catch {
      // Out of watches, or not supported here; polling does the same, a little later.
      return 'failed'
    }
  }

  #unwatch(path: string): void {
    this.#folders.get(path)?.watcher.close()
    this.#folders.delete(path)
  }
}
