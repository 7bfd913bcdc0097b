import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { HubError } from '@herma/contract'
import { isInside } from '../../../platform/file/is-inside.ts'
import type { Log } from '../../../platform/log.ts'
import { isObject } from '../../../wire/index.ts'
import { realPathOf } from './confined-path.ts'

export type StateData = Record<string, unknown>

export const maxStateBytes = 256 * 1024

/** Small JSON files below one folder, each with one writer at a time. */
export class StateFiles {
  readonly #home: string
  readonly #log: Log
  readonly #tails = new Map<string, Promise<void>>()

  constructor(home: string, log: Log) {
    this.#home = home
    this.#log = log
  }

  /** What the file holds; undefined when there is none, or none that can be read: such a one is put aside. */
  async read(path: string): Promise<StateData | undefined> {
    return await this.#exclusive(path, () => this.#read(path))
  }

  /** Replaces what the file holds by what `change` makes of it. Nothing is written when `change` throws. */
  async update(path: string, change: (data: StateData | undefined) => Promise<StateData>): Promise<StateData> {
    return await this.#exclusive(path, async () => {
      const before = await this.#read(path)
      const after = await change(before)
      if (before === undefined || JSON.stringify(before) !== JSON.stringify(after)) {
        await this.#write(path, JSON.stringify(after))
      }
      return after
    })
  }

  async #exclusive<T>(path: string, work: () => Promise<T>): Promise<T> {
    const run = (this.#tails.get(path) ?? Promise.resolve()).then(work)
    const tail = run.then(ignore, ignore)
    this.#tails.set(path, tail)
    try {
      return await run
    } finally {
      if (this.#tails.get(path) === tail) this.#tails.delete(path)
    }
  }

  async #read(path: string): Promise<StateData | undefined> {
    await this.#requireInside(path)
    try {
      const data: unknown = JSON.parse(await readSmallFile(path))
      if (isObject(data)) return data
      throw new Error('It is not a JSON object.')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      await this.#putAside(path, error)
      return undefined
    }
  }

  async #putAside(path: string, cause: unknown): Promise<void> {
    const aside = `${path}.broken-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`
    try {
      await rename(path, aside)
    } catch (error) {
      throw unavailable(path, error)
    }
    this.#log.warn('The state of an aggregate could not be read; it begins anew.', { file: path, aside, cause })
  }

  async #write(path: string, text: string): Promise<void> {
    const folder = dirname(path)
    const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(temporary, text, { mode: 0o600, flag: 'wx' })
      await rename(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true })
      throw unavailable(path, error)
    }
  }

  async #requireInside(path: string): Promise<void> {
    const [home, folder] = await Promise.all([realPathOf(this.#home), realPathOf(dirname(path))])
    if (isInside(home, folder)) return
    throw new HubError('FORBIDDEN', `'${path}' leads out of ${this.#home}. Remove the link on the way.`)
  }
}

function ignore(): void {}

function unavailable(path: string, cause: unknown): HubError {
  return new HubError(
    'STORE_UNAVAILABLE',
    `The state in '${path}' cannot be kept: ${(cause as Error).message}. Make the folder writable for the hub.`,
    { cause },
  )
}

// The descriptor that was opened is the one that is checked, so nothing can be put in its place between the two.
async function readSmallFile(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw new Error('It is not a file.')
    if (stat.size > maxStateBytes) throw new Error(`It is larger than ${maxStateBytes} bytes.`)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}
