import { isDeepStrictEqual } from 'node:util'
import { type Backup, type Principal, type RestoreReport, type RestoreRequest } from '@herma/contract'
import { findMasked } from '../platform/text/find-masked.ts'
import type { BackupEntry, BackupPart } from './backup-part.ts'

export interface BackupsOptions {
  readonly version: string
  readonly parts: readonly BackupPart[]
  /** What stands in place of a secret. */
  readonly mask: string
  /** Masks every secret that the hub knows: somebody may have written one where none belongs. */
  redactValue(value: unknown): unknown
}

type Outcome = RestoreReport['entries'][number]

/** Writes down what configures the hub, and puts it back entry by entry. A bad entry never stops the others. */
export class Backups {
  readonly #options: BackupsOptions

  constructor(options: BackupsOptions) {
    this.#options = options
  }

  async write(): Promise<Backup> {
    const parts: Backup['parts'] = {}
    for (const part of this.#options.parts) parts[part.name] = await this.#read(part)
    const createdAt = new Date().toISOString()
    return {
      format: 'herma-backup',
      version: 1,
      hub: this.#options.version,
      createdAt,
      parts,
    }
  }

  async restore({ file, plan = false }: RestoreRequest, principal: Principal): Promise<RestoreReport> {
    const entries: Outcome[] = []
    const needed: RestoreReport['needed'] = []
    for (const part of this.#options.parts) {
      // Read anew for each part: what was put back before may have brought something along.
      const found = new Map((await this.#read(part)).map((entry) => [part.nameOf(entry), entry]))
      for (const entry of file.parts[part.name] ?? []) {
        const name = nameOf(part, entry)
        const known = found.get(name)
        const outcome = await this.#restore(part, { entry, known, plan, principal })
        entries.push({ part: part.name, name, ...outcome })
        if (outcome.action === 'fail' || (outcome.action === 'skip' && part.write !== undefined)) continue
        for (const field of part.needs?.(entry, known) ?? []) needed.push({ part: part.name, name, field })
      }
    }
    return { plan, entries, needed }
  }

  async #restore(
    part: BackupPart,
    { entry, known, plan, principal }: Restored,
  ): Promise<Pick<Outcome, 'action' | 'why'>> {
    if (isDeepStrictEqual(entry, known)) return { action: 'keep', why: null }
    if (part.write === undefined) return known === undefined ? skip(part.why ?? '') : { action: 'keep', why: null }
    const masked = findMasked(entry, this.#options.mask)
    if (masked.length > 0)
      return skip(`A secret stood in ${masked.slice(0, 10).join(', ')}, which no backup holds. Set it by hand.`)
    const action = known === undefined ? 'add' : 'change'
    if (plan) return { action, why: null }
    try {
      await part.write(entry, known, principal)
      return { action, why: null }
    } catch (error) {
      return { action: 'fail', why: String(this.#options.redactValue((error as Error).message)) }
    }
  }

  /** As JSON gives it back, so that what is the same compares as the same. */
  async #read(part: BackupPart): Promise<BackupEntry[]> {
    const entries = await part.read()
    return entries.map((entry) => JSON.parse(JSON.stringify(this.#options.redactValue(entry))) as BackupEntry)
  }
}

interface Restored {
  readonly entry: BackupEntry
  readonly known: BackupEntry | undefined
  readonly plan: boolean
  readonly principal: Principal
}

function skip(why: string): Pick<Outcome, 'action' | 'why'> {
  return { action: 'skip', why }
}

/** An entry that was written by hand may lack its name; what is wrong with it shows when it is put back. */
function nameOf(part: BackupPart, entry: BackupEntry): string {
  try {
    return part.nameOf(entry)
  } catch {
    return '(without a name)'
  }
}
