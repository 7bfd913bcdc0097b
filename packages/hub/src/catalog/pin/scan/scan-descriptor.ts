import type { ScanFinding } from '@herma/contract'
import { findLosses, type Descriptor } from '../../../wire/index.ts'
import { joinPath, joinSteps } from '../diff-descriptor.ts'
import { pinnedPart } from '../hash-descriptor.ts'
import { findHiddenCharacters, type TextFinding } from './hidden-characters.ts'
import { findInstructions } from './instruction-rules.ts'
import { excerptAt } from './visible-text.ts'

/** Of one descriptor; what lies beyond is a finding itself. */
const maxCharacters = 262_144
const maxFindings = 100
const maxDepth = 64
const maxPathLength = 300

const severityOrder = { danger: 0, warning: 1, info: 2 } as const

/**
 * Looks at every text of a tool, names of parameters too: for what a person does not see, and for what speaks to the
 * model instead of describing the tool. A finding is a reason to look, not a proof. The worst come first.
 */
export function scanDescriptor(descriptor: Descriptor): ScanFinding[] {
  const findings: ScanFinding[] = []
  let budget = maxCharacters
  const pinned = pinnedPart(descriptor)
  visit(pinned, '', 0)
  for (const { path, text, isHidden } of findLosses(pinned)) if (isHidden) scanHidden(joinSteps(path), text)
  return findings.toSorted((a, b) => severityOrder[a.severity] - severityOrder[b.severity]).slice(0, maxFindings)

  function visit(value: unknown, path: string, depth: number): void {
    if (budget < 0) return
    if (typeof value === 'string') return scanText(value, path)
    if (typeof value !== 'object' || value === null) return
    if (depth > maxDepth) return stop(path, 'It is nested too deeply to be reviewed.')
    if (Array.isArray(value)) return value.forEach((entry, index) => visit(entry, `${path}[${index}]`, depth + 1))
    for (const [key, entry] of Object.entries(value)) {
      const inner = joinPath(path, key)
      // Most keys are words of JSON Schema; the others are names that a server chose.
      if (!/^[\w$-]{1,40}$/.test(key)) scanText(key, inner)
      visit(entry, inner, depth + 1)
    }
  }

  /** Clients get a repeated key as the server wrote it, and each may read another one of its values. */
  function scanHidden(path: string, text: string): void {
    const message = 'It is there twice, and a client may read either.'
    add({ rule: 'repeated-key', severity: 'warning', at: 0, length: text.length, message }, path, text)
    visit(JSON.parse(text), path, 1)
  }

  function scanText(text: string, path: string): void {
    budget -= text.length
    if (budget < 0) return stop(path, 'It is too long to be reviewed; what follows was not looked at.')
    const { folded, findings: instructions } = findInstructions(text)
    for (const finding of findHiddenCharacters(text)) add(finding, path, text)
    for (const finding of instructions) add(finding, path, folded)
  }

  function add({ rule, severity, at, length, message }: TextFinding, path: string, text: string): void {
    if (findings.length < maxFindings * 2) {
      findings.push({ rule, severity, path: shorten(path), excerpt: excerptAt(text, at, length), message })
    }
  }

  function stop(path: string, message: string): void {
    budget = -1
    findings.push({ rule: 'too-large', severity: 'warning', path: shorten(path), excerpt: '', message })
  }
}

function shorten(path: string): string {
  return path.length > maxPathLength ? `${path.slice(0, maxPathLength)}…` : path
}
