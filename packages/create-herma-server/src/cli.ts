import { readFile } from 'node:fs/promises'
import { isAbsolute, relative } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { createProject, type Project } from './create-project.ts'
import { ProjectError } from './project-error.ts'
import { readArguments } from './read-arguments.ts'

const usage = `Makes a new MCP server.

  npm create herma-server my-server
  npm create herma-server my-server -- --template js

  --template ts|js   TypeScript unless said otherwise
`

/** Runs the command and returns its exit code. */
export async function main(words: readonly string[]): Promise<number> {
  try {
    const { folder, template, wants } = readArguments(words)
    if (wants === 'help') return say(usage)
    if (wants === 'version') return say(`${await ownVersion()}\n`)
    const project = await createProject({
      folder: folder ?? (await askFolder()),
      template,
      version: await ownVersion(),
    })
    return say(describeNextSteps(project))
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error
    process.stderr.write(`${error.message}\n`)
    return 1
  }
}

function say(text: string): number {
  process.stdout.write(text)
  return 0
}

async function askFolder(): Promise<string> {
  if (!process.stdin.isTTY) throw new ProjectError('Which folder? Say it: npm create herma-server my-server')
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return (await terminal.question('Folder of the new server (my-server): ')).trim() || 'my-server'
  } finally {
    terminal.close()
  }
}

function describeNextSteps({ folder, name, files }: Project): string {
  const place = relative(process.cwd(), folder) || '.'
  const shown = isAbsolute(place) || place.startsWith('..') ? folder : place
  const enter = shown === '.' ? '' : `  cd ${quote(shown)}\n`
  return `Made ${name} with ${files.length} files. Next:

${enter}  npm install
  npm test
`
}

/** For a shell, where the folder has characters that mean something there. */
function quote(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`
}

/** The framework is released together with this package, under the same version. */
async function ownVersion(): Promise<string> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
