import { createHash } from 'node:crypto'
import type { ShapedSource } from './shape-source.ts'
import type { ShapedTool } from './shaped-entry.ts'

/** Changes when one of these tools does. */
export function hashTools(tools: readonly ShapedTool[]): string {
  const hash = createHash('sha1')
  for (const { source, original, fingerprint } of tools) hash.update(`${source.id}\n${original}\n${fingerprint}\n`)
  return hash.digest('base64')
}

/** Of each source once: it is shaped anew when it changes. */
const sourceHashes = new WeakMap<ShapedSource, string>()

/** Changes when anything of a source does. */
export function hashSource(shaped: ShapedSource): string {
  const known = sourceHashes.get(shaped)
  if (known !== undefined) return known
  const hash = createHash('sha1').update(shaped.source.id)
  for (const tool of shaped.tools) hash.update(`\n${tool.original}\n${tool.fingerprint}\n${tool.hiddenBecause}`)
  for (const entry of [...shaped.prompts, ...shaped.resources, ...shaped.resourceTemplates])
    hash.update(entry.bytes.subarray(entry.start, entry.end))
  const digest = hash.digest('base64')
  sourceHashes.set(shaped, digest)
  return digest
}
