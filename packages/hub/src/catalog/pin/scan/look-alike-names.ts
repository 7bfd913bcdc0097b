import type { Severity, ToolFinding } from '@herma/contract'
import { foldText, nameSkeleton } from './confusables.ts'
import { makeVisible } from './visible-text.ts'

export interface ToolName {
  readonly connector: string
  readonly name: string
}

/** A tool with the forms of its name that are compared. */
interface ShownTool extends ToolName {
  readonly folded: string
  readonly unstyled: string
  readonly skeleton: string
}

const maxFindings = 500
/** Longer names are not held against others: how many neighbours a name has grows with its length. */
const maxNameLength = 80
/** A shorter word differs from many others in one letter only. */
const minWordLength = 5
/** Tools that share what is left of their names; so many alike are found all the same. */
const maxCompared = 4

/** Tools whose names can be taken for that of a tool of another server. Time grows with the letters, not with pairs. */
export function findLookAlikes(tools: readonly ToolName[]): ToolFinding[] {
  const findings = new Map<string, ToolFinding>()
  const seen = new Map<string, ShownTool[]>()
  for (const { connector, name } of tools) {
    if (findings.size >= maxFindings) break
    if (name.length > maxNameLength) continue
    const tool = { connector, name, folded: foldText(name), unstyled: withoutStyle(name), skeleton: nameSkeleton(name) }
    const keys = neighbourKeys(tool)
    const candidates = new Set(keys.flatMap((key) => seen.get(key) ?? []))
    for (const other of candidates) {
      const finding = other.connector === tool.connector ? null : compare(tool, other)
      if (finding === null) continue
      const key = `${finding.connector}\n${finding.tool}`
      if (!findings.has(key)) findings.set(key, finding)
      break
    }
    for (const key of keys) {
      const holders = seen.get(key)
      if (holders === undefined) seen.set(key, [tool])
      else if (holders.length < maxCompared) holders.push(tool)
    }
  }
  return [...findings.values()]
}

// Two names one letter apart share what is left of them without that letter.
// https://en.wikipedia.org/wiki/Approximate_string_matching (deletion neighbourhoods)
function neighbourKeys({ name, skeleton }: ShownTool): string[] {
  const lower = name.toLowerCase()
  const keys = new Set([`=${skeleton}`, lower])
  for (let index = 0; index < lower.length; index++) keys.add(lower.slice(0, index) + lower.slice(index + 1))
  return [...keys]
}

function compare(tool: ShownTool, other: ShownTool): ToolFinding | null {
  if (tool.name === other.name) return null
  const isDisguised = tool.folded === other.folded
  // Of two that look the same, the one with the foreign letters is the copy.
  if (isDisguised && isAscii(tool.name)) return describe(other, tool, 'danger', 'looks exactly like')
  if (isDisguised) return describe(tool, other, 'danger', 'looks exactly like')
  if (tool.unstyled === other.unstyled) {
    return describe(tool, other, 'info', 'differs only in case or separators from')
  }
  if (tool.skeleton === other.skeleton) {
    return describe(tool, other, 'warning', 'is easily taken for')
  }
  return isTypo(tool.name, other.name) ? describe(tool, other, 'warning', 'is one letter away from') : null
}

function describe(tool: ToolName, other: ToolName, severity: Severity, relation: string): ToolFinding {
  return {
    rule: severity === 'info' ? 'similar-name' : 'look-alike-name',
    severity,
    path: 'name',
    excerpt: makeVisible(tool.name),
    message: `It ${relation} '${makeVisible(other.name)}' of ${other.connector}.`,
    connector: tool.connector,
    tool: tool.name,
  }
}

function isAscii(name: string): boolean {
  return /^[\x20-\x7e]*$/.test(name)
}

function withoutStyle(name: string): string {
  return name.toLowerCase().replace(/[\s_./:-]+/g, '')
}

/** One letter apart in a long word. Plurals, past forms and numbered names are other names, not typing errors. */
function isTypo(left: string, right: string): boolean {
  const [mine, others] = [toWords(left), toWords(right)]
  if (mine.length !== others.length) return false
  const at = mine.findIndex((word, index) => word !== others[index])
  if (mine.some((word, index) => index !== at && word !== others[index])) return false
  const [a, b] = [mine[at]!, others[at]!].toSorted((x, y) => x.length - y.length) as [string, string]
  if (a.length < minWordLength || b === `${a}s` || b === `${a}d` || /\d/.test(a + b)) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  if (a.length < b.length) return a.slice(start) === b.slice(start + 1)
  if (a.length > b.length) return false
  const isSwap = a[start] === b[start + 1] && a[start + 1] === b[start] && a.slice(start + 2) === b.slice(start + 2)
  return isSwap || a.slice(start + 1) === b.slice(start + 1)
}

function toWords(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[\s_./:-]+/)
    .filter((word) => word !== '')
}
