import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { HubError, type RotationInput, type SecretKeysView } from '@herma/contract'
import type { Events } from '../../platform/events.ts'
import type { Log } from '../../platform/log.ts'
import { movePrivateFile, readPrivateFile, replacePrivateFile } from '../../platform/file/private-file.ts'
import { describeKeys } from './describe-keys.ts'
import type { KeyRing } from './key-ring.ts'
import { createMasterKey, describeSource, type MasterKey, readMasterKey } from './master-key.ts'
import { maxKeyTextBytes } from './parse-key.ts'
import { reseal } from './reseal.ts'
import type { SealedPlace } from './sealed-place.ts'

interface RotationOptions {
  readonly ring: KeyRing
  readonly places: readonly SealedPlace[]
  readonly events: Events
  readonly log: Log
}

const tidyEveryMs = 60 * 60_000

/** A copy of the database from before the rotation may be put back. */
const keepRetiredMs = 7 * 24 * 60 * 60_000

/** Rotates keys while the hub serves. What a crash interrupted goes on when the hub starts again. */
export class KeyRotation {
  readonly #options: RotationOptions
  #unopened = 0
  #timer: NodeJS.Timeout | null = null
  /** Rotations are made one at a time. */
  #work: Promise<unknown> = Promise.resolve()

  constructor(options: RotationOptions) {
    this.#options = options
  }

  /** Returns at once; `settled` tells when what was left to do is done. */
  start(): void {
    const tidy = () =>
      void this.#enqueue(() => this.#tidy()).catch((error: unknown) =>
        this.#options.log.error('values could not be brought under the newest key; tried again within the hour', {
          error,
        }),
      )
    tidy()
    this.#timer = setInterval(tidy, tidyEveryMs).unref()
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    await this.#work
  }

  async settled(): Promise<void> {
    await this.#work
  }

  /** Values that did not open when all were last looked at. */
  get unopened(): number {
    return this.#unopened
  }

  async describe(): Promise<SecretKeysView> {
    const { ring } = this.#options
    return describeKeys(ring, await ring.store.loadAll(), this.#unopened)
  }

  /** Returns when every value is sealed anew. */
  rotate({ master = false, newKeyFile }: RotationInput): Promise<SecretKeysView> {
    return this.#enqueue(async () => {
      if (master || newKeyFile !== undefined) await this.#rotateMaster(newKeyFile)
      else await this.#rotateData()
      return await this.describe()
    })
  }

  async #rotateData(): Promise<void> {
    const { ring, events } = this.#options
    const { next } = (await this.describe()).master
    if (next !== null) {
      throw new HubError(
        'KEY_ROTATION_PENDING',
        `The master key ${next.id} waits to be put in place and could not open a new data key. Put it in place and ` +
          'run: herma secret rotate --master. Or take it back: herma secret rotate --new-key-file with the present key.',
      )
    }
    await ring.renewDataKey()
    events.emit('data-key.rotated', null, { id: ring.activeId })
    await this.#reseal()
  }

  async #rotateMaster(newKeyFile: string | undefined): Promise<void> {
    const { ring } = this.#options
    // What was sealed with the master key itself must not depend on it any more.
    await this.#reseal()
    if (newKeyFile !== undefined) return await this.#prepare(newKeyFile)
    if (ring.source.kind === 'home') return await this.#replaceHomeKey()
    const found = await readMasterKey(ring.source)
    if (found === null || found.id === ring.master.id) {
      throw new HubError(
        'KEY_ROTATION_PENDING',
        'The master key is not ours to write. Make another one, run: herma secret rotate --new-key-file FILE, put it in ' +
          'place of the present one, and run this again.',
      )
    }
    await ring.store.addWraps(ring.wrapsFor(found))
    await this.#adopt(found)
  }

  /** Both keys open everything until the new one is found in place; the present one given again takes it back. */
  async #prepare(path: string): Promise<void> {
    const { ring } = this.#options
    const next = await readMasterKey({ kind: 'file', path })
    await ring.store.removeOtherWraps(ring.master.id, 'newer')
    if (next !== null && next.id !== ring.master.id) await ring.store.addWraps(ring.wrapsFor(next))
  }

  /** At each step what is in the file opens everything, and what is done already is done again without harm. */
  async #replaceHomeKey(): Promise<void> {
    const { ring } = this.#options
    const { path } = ring.source as { path: string }
    const next = (await readNext(path)) ?? (await createNext(path))
    await ring.store.addWraps(ring.wrapsFor(next))
    await movePrivateFile(nextPath(path), path)
    await this.#adopt(next)
  }

  async #adopt(master: MasterKey): Promise<void> {
    const { ring, events } = this.#options
    ring.adopt(master)
    await ring.store.removeOtherWraps(master.id, 'older')
    events.emit('master-key.rotated', null, { id: master.id })
  }

  async #tidy(): Promise<void> {
    const { ring } = this.#options
    await ring.store.removeOtherWraps(ring.master.id, 'older')
    if (ring.source.kind === 'home') await removeDrafts(ring.source.path)
    await this.#reseal()
    if (ring.source.kind === 'home' && (await readNext(ring.source.path)) !== null) await this.#replaceHomeKey()
  }

  async #reseal(): Promise<void> {
    const { ring, places, log } = this.#options
    const { unopened, unused } = await reseal(ring, places)
    // Said when it gets worse, so that a wrong key is noticed at the start and not with the first call that needs it.
    if (unopened > this.#unopened) {
      const remedy = 'put back the key that sealed them, or enter them again'
      log.warn(`${describeSource(ring.source)} does not open all stored values: ${remedy}`, { values: unopened })
    }
    this.#unopened = unopened
    await ring.store.retire(unused)
    // Tokens that were made with keys derived from it must open for as long as they live.
    const before = Date.now() - Math.max(keepRetiredMs, ring.tokenLifeMs)
    const removable = unused.filter((id) => !ring.isUsed(id))
    ring.forget(await ring.store.removeRetired(removable, new Date(before)))
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work)
    this.#work = done.catch(() => undefined)
    return done
  }
}

function nextPath(path: string): string {
  return `${path}.next`
}

/** The key that a rotation began with; null when none is under way. */
async function readNext(path: string): Promise<MasterKey | null> {
  const isThere = (await readPrivateFile(nextPath(path), maxKeyTextBytes)) !== null
  return isThere ? await readMasterKey({ kind: 'home', path: nextPath(path) }) : null
}

async function createNext(path: string): Promise<MasterKey> {
  const next = createMasterKey()
  await replacePrivateFile(nextPath(path), next.key)
  return next
}

// A process that was killed may have left a draft of a key file: a key that nothing was encrypted with.
async function removeDrafts(path: string): Promise<void> {
  const draft = new RegExp(`^${basename(path)}(?:\\.next)?\\.[0-9a-f]{12}$`)
  for (const name of await readdir(dirname(path))) {
    if (draft.test(name)) await rm(join(dirname(path), name), { force: true })
  }
}
