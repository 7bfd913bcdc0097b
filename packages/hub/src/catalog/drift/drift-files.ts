import { appendFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CatalogSnapshot, DriftReport } from '@herma/contract'
import type { Descriptor } from '../../wire/index.ts'
import { makeVisible } from '../pin/scan/visible-text.ts'

const maxLogBytes = 1024 * 1024
const maxNames = 20

/** The state of the catalog as files in the state home, for people and their scripts. The database is what counts. */
export class DriftFiles {
  readonly #stateHome: string

  constructor(stateHome: string) {
    this.#stateHome = stateHome
  }

  /** A reader sees the old list or the new one, never a half. */
  async writeCatalog(
    kind: CatalogSnapshot['kind'],
    { hash, at, tools }: { readonly hash: string; readonly at: Date; readonly tools: readonly Descriptor[] },
  ): Promise<void> {
    const path = join(this.#stateHome, `${kind}_catalog.json`)
    const head = { kind, capturedAt: at.toISOString(), hash, toolCount: tools.length }
    await writeFile(`${path}.new`, `${JSON.stringify({ ...head, tools }, null, 2)}\n`, { mode: 0o600 })
    await rename(`${path}.new`, path)
  }

  /** One line for each change; the log before the last mebibyte is kept once. */
  async appendDrift(report: DriftReport): Promise<void> {
    const path = join(this.#stateHome, 'live_catalog_drift.log')
    // A log that is not there is as good as an empty one.
    const { size } = await stat(path).catch(() => ({ size: 0 }))
    if (size >= maxLogBytes) await rename(path, `${path}.1`)
    await appendFile(path, `${describeDrift(report)}\n`, { mode: 0o600 })
  }
}

/** A report in one line. */
export function describeDrift({ at, hasDrift, counts, missing, extra, changed }: DriftReport): string {
  if (!hasDrift) return `${at} no drift`
  const part = (word: string, count: number, names: readonly string[]) => {
    if (count === 0) return []
    // A name may hold a line break, and the log has one line for each report.
    const told = names.slice(0, maxNames).map(makeVisible).join(', ')
    return [`${word} ${count}: ${told}${count > maxNames ? ', …' : ''}`]
  }
  const parts = [
    ...part('missing', counts.missing, missing),
    ...part('extra', counts.extra, extra),
    ...part(
      'changed',
      counts.changed,
      changed.map(({ name, fields }) => `${name} (${fieldsOf(fields)})`),
    ),
  ]
  return `${at} ${parts.join('; ')}`
}

function fieldsOf(fields: DriftReport['changed'][number]['fields']): string {
  const tops = [...new Set(fields.map(({ path }) => path.split(/[.[]/)[0]!))]
  return tops.slice(0, 5).join(' ')
}
