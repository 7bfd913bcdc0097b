import { posix } from 'node:path'
import { readImports } from './check-imports.mjs'
import { isTest, sourceFiles } from './source-files.mjs'

// Ours: sixty lines that read the imports as check-imports.mjs does already.

/** Packages whose folders may not import each other in a ring, at any depth. */
const ringFree = ['contract', 'create-herma-server', 'framework', 'hub', 'web']

/**
 * Rings of today, by the folders in them. A line may only become shorter or go away.
 * @type {Record<string, string[][]>}
 */
const knownRings = {
  'packages/hub/src/downstream': [
    ['authorization', 'binding', 'channel', 'connector', 'descriptor', 'link', 'supervision'],
  ],
  'packages/hub/src/gateway': [['call', 'connection', 'openai', 'server', 'subscription', 'tool', 'transport']],
}

/** Finds folders that import each other in a ring. Returns one line for each that is not known. */
export function checkRings() {
  return ringFree.flatMap((name) => {
    const src = `packages/${name}/src`
    const files = sourceFiles(src).filter((path) => /\.tsx?$/.test(path) && !isTest(path))
    const imports = files.flatMap((from) =>
      readImports(from)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => ({ from, to: posix.join(posix.dirname(from), specifier) })),
    )
    const folders = [...new Set(files.flatMap((file) => foldersAbove(file, src)))].toSorted()
    return folders.flatMap((folder) => explainRings(folder, imports, knownRings[folder]))
  })
}

/**
 * The rings among what lies in one folder: its folders, and its own files one by one. A ring of files alone is left to
 * the reader, and so is one whose folders are all in a known ring.
 * @param {string} folder
 * @param {{ from: string, to: string }[]} imports
 * @param {string[][]} known
 */
export function explainRings(folder, imports, known = []) {
  /** @type {Map<string, Map<string, string>>} Of each part those that it imports, with an example. */
  const arrows = new Map()
  for (const { from, to } of imports) {
    const [one, other] = [partIn(folder, from), partIn(folder, to)]
    if (one === null || other === null || one === other) continue
    const out = arrows.get(one) ?? new Map()
    if (!out.has(other)) out.set(other, `${from} imports ${to}`)
    arrows.set(one, out)
  }
  return findRings(arrows)
    .filter((ring) => {
      const inRing = ring.filter((part) => !/\.tsx?$/.test(part))
      return inRing.length > 0 && !known.some((parts) => inRing.every((part) => parts.includes(part)))
    })
    .map((ring) => {
      const inside = ring.flatMap((part) =>
        [...(arrows.get(part) ?? [])].filter(([other]) => ring.includes(other)).map(([, example]) => `\n  ${example}`),
      )
      return `${folder}: ${ring.join(', ')} import each other. Let one announce, or give both a third:${inside.join('')}`
    })
}

/**
 * Groups of parts that can all be reached from each other.
 * @param {Map<string, Map<string, string>>} arrows
 */
function findRings(arrows) {
  const reached = new Map([...arrows.keys()].map((part) => [part, reachableFrom(part, arrows)]))
  const rings = [...reached].flatMap(([part, others]) => {
    if (!others.has(part)) return []
    return [[...others].filter((other) => reached.get(other)?.has(part)).toSorted()]
  })
  return rings.filter((ring, index) => rings.findIndex((other) => other[0] === ring[0]) === index)
}

/**
 * @param {string} start
 * @param {Map<string, Map<string, string>>} arrows
 */
function reachableFrom(start, arrows) {
  /** @type {Set<string>} */
  const seen = new Set()
  const open = [start]
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    for (const other of arrows.get(part)?.keys() ?? []) {
      if (seen.has(other)) continue
      seen.add(other)
      open.push(other)
    }
  }
  return seen
}

/**
 * @param {string} folder
 * @param {string} file
 */
function partIn(folder, file) {
  return file.startsWith(`${folder}/`) ? (file.slice(folder.length + 1).split('/')[0] ?? null) : null
}

/**
 * @param {string} file
 * @param {string} top
 * @returns {string[]}
 */
function foldersAbove(file, top) {
  const folder = posix.dirname(file)
  return folder === top ? [top] : [folder, ...foldersAbove(folder, top)]
}
