import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HubError } from '@herma/contract'
import { readBundle, type Bundle } from './read-bundle.ts'

/** A bundle on one of the two shelves, or why it cannot be read. */
export interface ShelvedBundle {
  readonly name: string
  readonly folder: string
  readonly bundle: Bundle | null
  readonly problem: string | null
}

const maxBundles = 200

/** The bundles that come with Herma, and those in the config home. */
export class BundleShelf {
  readonly #shipped: string
  readonly #installed: string

  constructor(configHome: string, shipped = findShipped()) {
    this.#shipped = shipped
    this.#installed = join(configHome, 'bundles')
  }

  /** Where a bundle of this name is installed. */
  folderOf(name: string): string {
    return join(this.#installed, name)
  }

  shipped(): Promise<ShelvedBundle[]> {
    return readShelf(this.#shipped)
  }

  installed(): Promise<ShelvedBundle[]> {
    return readShelf(this.#installed)
  }

  /** Throws BUNDLE_NOT_FOUND, naming those that there are. */
  async findShipped(name: string): Promise<Bundle> {
    if (existsSync(join(this.#shipped, name, 'bundle.json'))) return readBundle(join(this.#shipped, name))
    const names = (await this.shipped()).map((each) => each.name)
    throw new HubError('BUNDLE_NOT_FOUND', `No bundle is named '${name}'. There are: ${names.join(', ')}`)
  }
}

/** Whether a folder holds what the hub reads of bundles. */
export function isBundle(folder: string): boolean {
  return existsSync(join(folder, 'bundle.json')) || existsSync(join(folder, 'catalog.json'))
}

async function readShelf(shelf: string): Promise<ShelvedBundle[]> {
  const entries = await readdir(shelf, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new HubError('FILE_UNREADABLE', `${shelf} cannot be read: ${error.message}.`, { cause: error })
  })
  const names = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && isBundle(join(shelf, entry.name)))
    .map(({ name }) => name)
  return Promise.all(
    names
      .toSorted()
      .slice(0, maxBundles)
      .map((name) => readShelved(name, join(shelf, name))),
  )
}

async function readShelved(name: string, folder: string): Promise<ShelvedBundle> {
  try {
    return { name, folder, bundle: await readBundle(folder), problem: null }
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    return { name, folder, bundle: null, problem: error.message }
  }
}

// Beside the bundle of the program, or at the root of the repository when the hub runs from source.
function findShipped(): string {
  const bundled = fileURLToPath(new URL('./bundles', import.meta.url))
  return existsSync(bundled) ? bundled : fileURLToPath(new URL('../../../../../bundles', import.meta.url))
}
