import { mkdir, open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Disk, localDisk } from './disk.ts'
import { JournalRecord, journalStates, type JournalState } from './journal-record.ts'

export interface FoundJournal {
  readonly id: string
  readonly state: JournalState
}

/**
 * The records of commits under way, one file for each. Its state is in the name of the file, so that a change of the state
 * is one rename: it happened or it did not. The folder belongs to one hub, by the lock of the state home.
 */
export class JournalFolder {
  readonly path: string
  readonly #disk: Disk

  constructor(path: string, disk: Disk = localDisk) {
    this.path = path
    this.#disk = disk
  }

  async begin(record: JournalRecord): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 })
    const draft = this.#draftOf(record.id)
    await this.#disk.create(draft, { bytes: Buffer.from(JSON.stringify(record)), mode: 0o600 })
    await this.#disk.rename(draft, this.#fileOf({ id: record.id, state: 'preparing' }))
    await this.#sync()
  }

  async mark(journal: FoundJournal, state: JournalState): Promise<FoundJournal> {
    const marked = { id: journal.id, state }
    await this.#disk.rename(this.#fileOf(journal), this.#fileOf(marked))
    await this.#sync()
    return marked
  }

  async end(journal: FoundJournal): Promise<void> {
    await this.#disk.remove(this.#fileOf(journal))
    await this.#sync()
  }

  async read(journal: FoundJournal): Promise<JournalRecord> {
    return JournalRecord.parse(JSON.parse(await readFile(this.#fileOf(journal), 'utf8')))
  }

  async list(): Promise<FoundJournal[]> {
    const names = await readdir(this.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    })
    return names.flatMap((name) => {
      const [, id, state] = /^([0-9a-f]{16})\.([a-z]+)\.json$/.exec(name) ?? []
      const known = journalStates.find((other) => other === state)
      return id === undefined || known === undefined ? [] : [{ id, state: known }]
    })
  }

  async find(id: string): Promise<FoundJournal | undefined> {
    return (await this.list()).find((journal) => journal.id === id)
  }

  async removeDraft(id: string): Promise<void> {
    await this.#disk.remove(this.#draftOf(id))
  }

  /** Records that were never finished say nothing that anybody relied on. */
  async removeDrafts(): Promise<void> {
    const names = await readdir(this.path).catch(() => [])
    for (const name of names.filter((other) => other.endsWith('.draft'))) await this.#disk.remove(join(this.path, name))
  }

  #draftOf(id: string): string {
    return join(this.path, `${id}.draft`)
  }

  #fileOf({ id, state }: FoundJournal): string {
    return join(this.path, `${id}.${state}.json`)
  }

  async #sync(): Promise<void> {
    const handle = await open(this.path, 'r')
    try {
      await this.#disk.sync(handle)
    } finally {
      await handle.close()
    }
  }
}
