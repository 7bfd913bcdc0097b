import type { ToolFinding } from '@herma/contract'
import type { Descriptor } from '../../../wire/index.ts'
import { foldText } from './confusables.ts'
import { findLookAlikes } from './look-alike-names.ts'
import { scanDescriptor } from './scan-descriptor.ts'
import { excerptAt } from './visible-text.ts'

export interface ScannedTool {
  readonly connector: string
  /** As the server describes it, with its own name. */
  readonly descriptor: Descriptor
}

const maxFindings = 5000

/** Scans every tool, and then what only shows when all are seen together. Ten thousand tools take about a second. */
export function scanCatalog(tools: readonly ScannedTool[]): ToolFinding[] {
  const named = tools.map(({ connector, descriptor }) => ({ connector, name: String(descriptor['name']) }))
  const owners = new Map<string, Set<string>>()
  for (const { connector, name } of named) owners.set(name, (owners.get(name) ?? new Set()).add(connector))
  const findings: ToolFinding[] = findLookAlikes(named)
  for (const [index, { connector, descriptor }] of tools.entries()) {
    if (findings.length >= maxFindings) break
    const { name: tool } = named[index]!
    findings.push(...scanDescriptor(descriptor).map((finding) => ({ ...finding, connector, tool })))
    findings.push(...findReferences(connector, tool, descriptor['description'], owners))
  }
  return findings.slice(0, maxFindings)
}

const steering =
  /\b(?:instead of|rather than|in place of|(?:do not|don't|never) (?:use|call|invoke)|before (?:using|calling)|after (?:using|calling)|when(?:ever)? (?:using|calling)|replaces|supersedes)\b([^.\n]{1,80})/gi

/** A description that steers the use of another server's tools. Of the same server's it is ordinary advice. */
function findReferences(
  connector: string,
  tool: string,
  description: unknown,
  owners: ReadonlyMap<string, ReadonlySet<string>>,
): ToolFinding[] {
  if (typeof description !== 'string') return []
  const folded = foldText(description)
  for (const match of folded.matchAll(steering)) {
    for (const [word] of match[1]!.matchAll(/[A-Za-z0-9_.-]{3,64}/g)) {
      const others = owners.get(word)
      // A plain word such as search may be the name of a tool and mean nothing here.
      if (others === undefined || others.has(connector) || !/[a-z0-9][A-Z]|[_\d-]/.test(word)) continue
      const message = `It says how to use '${word}', a tool of ${[...others].slice(0, 3).join(', ')}.`
      const excerpt = excerptAt(folded, match.index, match[0].length)
      return [
        { rule: 'steers-other-server', severity: 'warning', path: 'description', excerpt, message, connector, tool },
      ]
    }
  }
  return []
}
