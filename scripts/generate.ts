// Writes what follows from the sources: JSON Schemas for editors, the OpenAPI document, the code in the documents, and the
// framework's reference.
// With --check it writes nothing and fails when a file is not up to date.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BundleManifest, CatalogFragment, ConnectorInput, CustomTools } from '@herma/contract'
import { z } from 'zod'
import * as tables from '@herma/contract/api'
import { api, type ApiOperation } from '@herma/contract/api'
import { createOpenApi } from '../packages/hub/src/platform/http/index.ts'
import { apiReference } from './generate/api-reference.ts'
import { copyExamples } from './generate/copy-examples.ts'
import { frameworkReference } from './generate/framework-reference.ts'
import { frameworkIntroductions } from './generate/framework-introductions.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

const files = new Map([
  ['schema/connector.schema.json', toJson(z.toJSONSchema(ConnectorInput, { io: 'input' }))],
  ['schema/catalog-fragment.schema.json', toJson(z.toJSONSchema(CatalogFragment, { io: 'input' }))],
  ['schema/custom-tools.schema.json', toJson(z.toJSONSchema(CustomTools, { io: 'input' }))],
  ['schema/bundle.schema.json', toJson(z.toJSONSchema(BundleManifest, { io: 'input' }))],
  ['schema/openapi.json', toJson(createOpenApi(api))],
  ['packages/contract/src/api/addresses.ts', listAddresses(api)],
  ['docs/management-api.md', apiReference(nounsOf(tables))],
  ...documentsWithExamples(),
  ...(await frameworkReference({
    root,
    folder: 'packages/framework',
    pages: 'docs/framework',
    introductions: frameworkIntroductions,
  })),
])

const stale = [...files].filter(([path, text]) => readIfThere(join(root, path)) !== text)
for (const [path, text] of stale) {
  if (process.argv.includes('--check')) {
    process.stdout.write(`${path} does not follow its source any more.\n`)
    process.exitCode = 1
  } else {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
    process.stdout.write(`wrote ${path}\n`)
  }
}

/** The tables of the nouns, by their names. */
function nounsOf(exported: object): Record<string, Record<string, ApiOperation>> {
  return Object.fromEntries(Object.entries(exported).filter(([name]) => name.endsWith('Operations')))
}

/** Method and path of every operation, for clients that do without the schemas. */
function listAddresses(operations: Readonly<Record<string, ApiOperation>>): string {
  const lines = Object.entries(operations).map(([name, { method, path }]) => `  ${name}: '${method} ${path}',\n`)
  return `// Written by npm run generate from the table, so that a client need not load its schemas.\nexport const addresses = {\n${lines.join('')}} as const\n`
}

function documentsWithExamples(): [string, string][] {
  const folders = ['', 'docs', 'docs/guides', 'docs/decisions', 'docs/framework', 'packages/framework', 'packages/hub']
  return folders
    .flatMap((folder) => listDocuments(folder))
    .map((path) => [
      path,
      copyExamples(readFileSync(join(root, path), 'utf8'), (example) => readExample(path, example)),
    ])
}

function listDocuments(folder: string): string[] {
  if (!existsSync(join(root, folder))) return []
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'))
  return names.map((name) => join(folder, name))
}

function readExample(document: string, example: string): string {
  const text = readIfThere(join(root, example))
  if (text === null) throw new Error(`${document} shows the example '${example}', which does not exist.`)
  return text
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

function readIfThere(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null
}
