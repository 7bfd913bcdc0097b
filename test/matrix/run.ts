import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { nameCell } from './cell.ts'
import { parseOptions, type RunOptions } from './options.ts'
import { renderDocument } from './report/render-document.ts'
import { renderTable } from './report/render-table.ts'
import { countVerdicts } from './report/summary.ts'
import { runMatrix } from './run-matrix.ts'
import { openStage } from './stage.ts'

const documentPath = fileURLToPath(new URL('../../docs/compatibility.md', import.meta.url))

/** The command line of the matrix; returns its exit code. */
export async function run(args: readonly string[]): Promise<number> {
  let options: RunOptions
  try {
    options = parseOptions(args)
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\nTry: npm run matrix -- --help\n`)
    return 2
  }
  if (options.print !== null) {
    process.stdout.write(options.print)
    return 0
  }
  let done = 0
  await using stage = await openStage(options.cells, options.isDirect)
  const results = await runMatrix(stage, {
    ...options,
    onCell: (result) => {
      const { failed } = countVerdicts(result)
      const verdict = failed === 0 ? 'ok' : `${failed} FAIL`
      process.stderr.write(`${++done}/${options.cells.length} ${nameCell(result.kind)}: ${verdict}\n`)
    },
  })
  process.stdout.write(`\n${renderTable(results)}\n`)
  if (results.some((result) => countVerdicts(result).failed > 0)) return 1
  return options.isWhole ? compareDocument(renderDocument(results, options.features), options.writes) : 0
}

function compareDocument(text: string, writes: boolean): number {
  const before = existsSync(documentPath) ? readFileSync(documentPath, 'utf8') : ''
  if (before === text) return 0
  if (writes) {
    writeFileSync(documentPath, text)
    process.stdout.write('docs/compatibility.md is written.\n')
    return 0
  }
  process.stdout.write('docs/compatibility.md says something else. Run: npm run matrix -- --write\n')
  return 1
}
