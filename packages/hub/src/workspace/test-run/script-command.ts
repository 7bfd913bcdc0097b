import type { PackageManifest } from './project.ts'

/** A command line of a `package.json`, as far as it can be understood without a shell. */
export interface ScriptCommand {
  /** The name of the script. */
  readonly script: string
  readonly text: string
  readonly env: Readonly<Record<string, string>>
  readonly words: readonly string[]
}

/** The first script about tests whose command passes; `test` itself comes before `test:unit` and the like. */
export function findTestScript(
  manifest: PackageManifest | null,
  isWanted: (words: readonly string[]) => boolean,
): ScriptCommand | null {
  const names = Object.keys(manifest?.scripts ?? {}).filter((name) => /^test(:|$)/.test(name))
  for (const script of names.toSorted((a, b) => a.length - b.length)) {
    const text = manifest!.scripts[script]!
    // Of `build && vitest run` the last command is the one that runs the tests.
    for (const part of text.split(/&&|;|\|\|?/).toReversed()) {
      const words = splitWords(part)
      const first = words.findIndex((word) => !isAssignment(word) && !launchers.has(word))
      if (first < 0 || !isWanted(words.slice(first))) continue
      const pairs = words.slice(0, first).filter(isAssignment).map(splitAssignment)
      return { script, text, env: Object.fromEntries(pairs), words: words.slice(first) }
    }
  }
  return null
}

const launchers = new Set(['npx', 'cross-env', 'env', 'dotenv', '--no-install', '--', 'c8', 'nyc'])

/** Of the words of a command, those options that still make sense in ours: some alone, some with a value. */
export function pickOptions(
  words: readonly string[],
  known: { readonly alone?: RegExp; readonly valued?: RegExp },
): string[] {
  const picked: string[] = []
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!
    const name = word.split('=', 1)[0]!
    if (known.valued?.test(name) === true) {
      if (word.includes('=')) picked.push(word)
      else if (words[index + 1] !== undefined) picked.push(word, words[++index]!)
    } else if (known.alone?.test(word) === true) picked.push(word)
  }
  return picked
}

function splitWords(text: string): string[] {
  return [...text.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
  )
}

function isAssignment(word: string): boolean {
  return /^[A-Za-z_]\w*=/.test(word)
}

function splitAssignment(word: string): [string, string] {
  const at = word.indexOf('=')
  return [word.slice(0, at), word.slice(at + 1)]
}
