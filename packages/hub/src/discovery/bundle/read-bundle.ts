import { createHash } from 'node:crypto'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BundleManifest, CatalogFragment, HubError, type DiscoveryNeed } from '@herma/contract'
import type { z } from 'zod'
import { parseClientText } from '../parse-client-text.ts'
import type { Recipe } from '../recipe/recipe.ts'
import { toBundleRecipes } from './to-bundle-recipes.ts'

export interface BundleFile {
  /** Inside the folder, with `/`. */
  readonly path: string
  readonly bytes: Buffer
  readonly hash: string
}

/** A bundle as its folder has it. */
export interface Bundle {
  readonly folder: string
  readonly manifest: BundleManifest
  readonly needs: readonly DiscoveryNeed[]
  readonly recipes: readonly Recipe[]
  readonly files: readonly BundleFile[]
  /** Tools that its catalog fragment makes. */
  readonly tools: readonly string[]
}

const maxFiles = 100
const maxBytes = 5 * 1024 * 1024
const maxDepth = 5

/** Reads and checks a folder with bundle.json. Throws FILE_UNREADABLE with what is wrong. */
export async function readBundle(folder: string): Promise<Bundle> {
  const files = await readBundleFiles(folder)
  const manifest = readJson(files, 'bundle.json', BundleManifest)
  if (manifest === null) throw broken(folder, 'It has no bundle.json.')
  const fragment = readJson(files, 'catalog.json', CatalogFragment)
  const { needs, recipes } = toBundleRecipes(manifest)
  const tools = [...(fragment?.aggregations ?? []), ...(fragment?.pipelines ?? [])].map(({ name }) => name)
  return { folder, manifest, needs, recipes, files, tools }
}

/** Every file of a folder, within limits. Links are refused: they would bring what is elsewhere. */
export async function readBundleFiles(folder: string, inside = '', depth = 0): Promise<BundleFile[]> {
  // Also what was there a moment ago: a bundle may be removed while somebody looks at the list.
  const refuse = (error: NodeJS.ErrnoException) => {
    throw broken(folder, error.code === 'ENOENT' ? 'There is no such folder.' : `It cannot be read: ${error.message}.`)
  }
  const names = await readdir(join(folder, inside)).catch(refuse)
  if (depth > maxDepth) throw broken(folder, `Its folders are nested more than ${maxDepth} deep.`)
  const files: BundleFile[] = []
  for (const name of names.toSorted()) {
    if (name.startsWith('.')) continue
    const path = inside === '' ? name : `${inside}/${name}`
    const stats = await lstat(join(folder, path)).catch(refuse)
    if (stats.isDirectory()) files.push(...(await readBundleFiles(folder, path, depth + 1)))
    else if (!stats.isFile()) throw broken(folder, `'${path}' is a link or no file. Put the file itself there.`)
    else if (stats.size > maxBytes) throw broken(folder, `'${path}' is larger than ${maxBytes} bytes.`)
    else files.push(toFile(path, await readFile(join(folder, path)).catch(refuse)))
    if (files.length > maxFiles) throw broken(folder, `It has more than ${maxFiles} files.`)
  }
  if (files.reduce((size, { bytes }) => size + bytes.length, 0) > maxBytes)
    throw broken(folder, `Its files are larger than ${maxBytes} bytes together.`)
  return files
}

export function hashBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function toFile(path: string, bytes: Buffer): BundleFile {
  return { path, bytes, hash: hashBytes(bytes) }
}

function readJson<S extends z.ZodType>(files: readonly BundleFile[], path: string, schema: S): z.output<S> | null {
  const file = files.find((each) => each.path === path)
  if (file === undefined) return null
  const result = schema.safeParse(parseClientText(file.bytes.toString('utf8'), path))
  if (result.success) return result.data
  const issue = result.error.issues[0]!
  throw new HubError('FILE_UNREADABLE', `${path}: ${issue.path.join('.') || 'the file'}: ${issue.message}`)
}

function broken(folder: string, reason: string): HubError {
  return new HubError('FILE_UNREADABLE', `The bundle in ${folder} cannot be used. ${reason}`)
}
