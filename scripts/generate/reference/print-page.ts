import { basename } from 'node:path'
import type { ts } from '@ts-morph/common'
import { format } from 'oxfmt'
import { type Page, sectionTitles } from './page.ts'
import { nameKinds, type PublicName } from './public-names.ts'

const codeWidth = 120

/** Writes a page in Markdown. `sources` is how it links to the folder of the package. */
export async function printPage(page: Page, pages: readonly Page[], sources: string): Promise<string> {
  const printer = { page, pages, sources }
  const blocks = [
    `# ${page.specifier}`,
    '<!-- Written by `npm run generate` from the sources. What it says is their JSDoc: change it there. -->',
    page.introduction,
    printImport(page),
    `Pages: ${pages.map((other) => (other === page ? nameOf(other) : `[${nameOf(other)}](${other.file})`)).join(' · ')}`,
    '## Contents',
    ...printContents(printer),
  ]
  for (const { title, text, names } of page.sections) {
    blocks.push(`## ${title}`, ...(text === undefined ? [] : [text]))
    for (const name of names) blocks.push(await printName(name, printer))
  }
  blocks.push(...printForeign(page))
  return `${blocks.join('\n\n')}\n`
}

/** How other pages call it. */
function nameOf({ specifier }: Page): string {
  return specifier.split('/').slice(1).join('/')
}

interface Printer {
  readonly page: Page
  readonly pages: readonly Page[]
  readonly sources: string
}

function printImport({ names, specifier }: Page): string {
  const values = names.filter(({ kind }) => kind !== 'interface' && kind !== 'type').map(({ name }) => name)
  const line = `import { ${values.join(', ')} } from '${specifier}'`
  const wrapped = `import {\n${values.map((name) => `  ${name},`).join('\n')}\n} from '${specifier}'`
  return toBlock(line.length <= codeWidth ? line : wrapped)
}

function printContents(printer: Printer): string[] {
  return nameKinds.flatMap((kind) => {
    const rows = printer.page.names
      .filter((name) => name.kind === kind)
      .map(({ symbol, name, summary }) => `| ${linkTo(symbol, name, printer)} | ${inTable(summary)} |`)
    return rows.length === 0 ? [] : [`| ${sectionTitles[kind]} | |\n|---|---|\n${rows.join('\n')}`]
  })
}

async function printName({ name, parts, file, references, symbol }: PublicName, printer: Printer): Promise<string> {
  const { pages, page, sources } = printer
  const blocks = [`### ${name}`]
  for (const { text, code } of parts) blocks.push(...(text === '' ? [] : [text]), toBlock(await tidy(name, code)))
  const used = [...references.own].sort((one, other) => (one.name < other.name ? -1 : 1))
  const elsewhere = pages.filter((other) => other !== page && other.names.some((each) => each.symbol === symbol))
  const notes = [
    ...(used.length === 0 ? [] : [`Uses ${used.map((other) => linkTo(other, other.name, printer)).join(', ')}.`]),
    ...(elsewhere.length === 0 ? [] : [`Also in ${elsewhere.map(({ specifier }) => `\`${specifier}\``).join(', ')}.`]),
    `Source: [${basename(file)}](${sources}/${file})`,
  ]
  return [...blocks, notes.join(' ')].join('\n\n')
}

function linkTo(symbol: ts.Symbol, name: string, { page, pages }: Printer): string {
  const home = page.anchors.has(symbol) ? page : pages.find(({ anchors }) => anchors.has(symbol))
  return home === undefined
    ? `\`${name}\``
    : `[\`${name}\`](${home === page ? '' : home.file}#${home.anchors.get(symbol)})`
}

async function tidy(name: string, code: string): Promise<string> {
  const options = { printWidth: codeWidth, semi: false, singleQuote: true } as const
  const { code: formatted, errors } = await format('signature.d.ts', code, options)
  if (errors.length > 0) throw new Error(`The signature of '${name}' cannot be read: ${errors[0]?.message}\n${code}`)
  return formatted.trimEnd()
}

/** Where names come from that are neither ours nor the language's. */
function printForeign({ sections }: Page): string[] {
  const foreign = new Map<string, Set<string>>()
  for (const { references } of sections.flatMap(({ names }) => names)) {
    for (const [specifier, names] of references.foreign) {
      foreign.set(specifier, new Set([...(foreign.get(specifier) ?? []), ...names]))
    }
  }
  const lines = [...foreign].map(([specifier, names]) => {
    const listed = [...names].sort().map((name) => `\`${name}\``)
    return `- \`${specifier}\`: ${listed.join(', ')}`
  })
  return lines.length === 0 ? [] : [`## From other packages\n\n${lines.sort().join('\n')}`]
}

function toBlock(code: string): string {
  return `\`\`\`ts\n${code}\n\`\`\``
}

function inTable(text: string): string {
  return text.replaceAll('|', String.raw`\|`)
}
