import { readFile } from 'node:fs/promises'
import { basename, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { ConfigError } from '../protocol/errors.ts'
import { type GeneratedFile, generateSchemas } from './generate-schemas.ts'
import { GenerateError } from './source/problem.ts'

const usage = `Usage: herma-gen [files, folders or globs] [--check]

Writes the schemas of methods with @tool.auto() and @prompt.auto() beside their sources, from types and JSDoc.
Without files it reads those of tsconfig.json.

  --check  write nothing; exit with 1 when a sidecar is out of date
  --help   show this
`

/** Where the command writes to, and where it runs. */
export interface Surroundings {
  readonly folder: string
  readonly stdout: { write(text: string): unknown }
  readonly stderr: { write(text: string): unknown }
}

/** The command `herma-gen`. Returns its exit code: 0 for done, 1 for out of date or a problem, 2 for a wrong call. */
export async function hermaGen(args: readonly string[], { folder, stdout, stderr }: Surroundings): Promise<number> {
  const call = readArguments(args)
  if (typeof call === 'string') {
    stderr.write(`${call}\n\n${usage}`)
    return 2
  }
  if (call.help) {
    stdout.write(usage)
    return 0
  }
  try {
    const files = await generateSchemas(call.files, { folder, check: call.check })
    for (const file of files)
      stdout.write(`${file.state.padEnd(8)} ${relative(folder, file.sidecar)}\n${await hint(file)}`)
    if (files.length === 0) stdout.write('No method has @tool.auto() or @prompt.auto().\n')
    if (!files.some(({ state }) => state === 'outdated')) return 0
    stderr.write('Schemas are out of date. Run: npx herma-gen\n')
  } catch (error) {
    if (!(error instanceof GenerateError || error instanceof ConfigError)) throw error
    stderr.write(`${error.message}\n`)
  }
  return 1
}

function readArguments(args: readonly string[]) {
  const options = { check: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } } as const
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    return { ...values, files: positionals }
  } catch (error) {
    return (error as Error).message
  }
}

/** What a new sidecar still lacks: somebody who uses it. */
async function hint({ source, sidecar, classes, state }: GeneratedFile): Promise<string> {
  if (state !== 'written') return ''
  const text = await readFile(source, 'utf8')
  const unused = classes.filter((name) => !new RegExp(`@generated\\(\\s*(?:\\w+\\.)?${name}\\b`).test(text))
  if (unused.length === 0) return ''
  const lines = [
    `import * as schemas from './${basename(sidecar)}'`,
    ...unused.map((name) => `@generated(schemas.${name}) class ${name} …`),
  ]
  return lines.map((line) => `         add to ${basename(source)}: ${line}\n`).join('')
}
