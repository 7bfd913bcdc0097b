import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCompiler, openSources } from '../../packages/framework/src/gen/source/compiler.ts'
import { type Entry, layOutPages, type Page } from './reference/page.ts'
import { printPage } from './reference/print-page.ts'
import { PublicNames } from './reference/public-names.ts'

export interface ReferenceOptions {
  /** The repository. */
  readonly root: string
  /** Where the package is, relative to the repository. */
  readonly folder: string
  /** Where its pages go, relative to the repository. */
  readonly pages: string
  /** What a page says first, by its entry in `exports`. An entry with `undefined` gets no page. */
  readonly introductions: Readonly<Record<string, string | undefined>>
}

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, { readonly 'herma-source': string }>>
}

/**
 * The reference of a package, a page for each entry of its `exports`, as paths and texts. Throws with every public name
 * that lacks a JSDoc sentence.
 */
export async function frameworkReference(options: ReferenceOptions): Promise<[path: string, text: string][]> {
  const { root, folder, pages } = options
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest
  const entries = readEntries(manifest, options)
  refuseLeftovers(entries, options)
  const files = entries.map(({ source }) => join(root, folder, source))
  const compiler = await loadCompiler()
  const config = compiler.ts.findConfigFile(join(root, folder), compiler.ts.sys.fileExists)
  const reader = new PublicNames(openSources(compiler, files, config), join(root, folder))
  const read = entries.map((entry, index) => ({ ...entry, names: reader.of(files[index] ?? '') }))
  refuseUndocumented(read, folder)
  const all = layOutPages(read, reader)
  const sources = `${'../'.repeat(pages.split('/').length)}${folder}`
  return Promise.all(all.map(async (page) => [join(pages, page.file), await printPage(page, all, sources)]))
}

function readEntries(manifest: Manifest, { folder, introductions }: ReferenceOptions): Entry[] {
  const entries: Entry[] = []
  for (const [key, { 'herma-source': source }] of Object.entries(manifest.exports)) {
    if (!Object.hasOwn(introductions, key)) {
      throw new Error(`'${key}' in ${folder}/package.json has no introduction. Add one to framework-introductions.ts.`)
    }
    const introduction = introductions[key]
    if (introduction === undefined) continue
    const specifier = key === '.' ? manifest.name : `${manifest.name}/${key.slice(2)}`
    const file = key === '.' ? 'index.md' : `${key.slice(2).replaceAll('/', '-')}.md`
    entries.push({ specifier, file, introduction, source })
  }
  return entries
}

/** A page whose entry is gone would stay and tell of what nobody can import. */
function refuseLeftovers(entries: readonly Entry[], { root, pages }: ReferenceOptions): void {
  const wanted = new Set(['README.md', ...entries.map(({ file }) => file)])
  for (const name of readdirSync(join(root, pages))) {
    if (wanted.has(name)) continue
    throw new Error(`${pages}/${name} belongs to no entry of the package's exports. Remove it.`)
  }
}

function refuseUndocumented(pages: readonly Pick<Page, 'names'>[], folder: string): void {
  const missing = new Set<string>()
  for (const { name, summary, file, line } of pages.flatMap(({ names }) => names)) {
    if (summary === '') missing.add(`${folder}/${file}:${line} '${name}' is public and has no JSDoc.`)
  }
  if (missing.size === 0) return
  throw new Error(`${[...missing].join('\n')}\nSay above each, in one sentence, what it is for.`)
}
