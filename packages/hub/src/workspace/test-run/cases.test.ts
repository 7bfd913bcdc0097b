import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { makeTestFolder, writeTree } from '../testing/test-folder.ts'
import { frameworks } from './framework.ts'
import { openProject } from './project.ts'
import { runners } from './runners.ts'

// Each case is what the real runner wrote about one test that passes, some that fail in its ways, and one that is
// skipped, with {{cwd}} for the folder; expected.json is what is made of it.
const cases = fileURLToPath(new URL('cases/', import.meta.url))

test.for(frameworks)('what %s wrote is read', async (framework) => {
  const cwd = await makeTestFolder()
  const reportFolder = join(cwd, '.report')
  const files = await readCase(framework, cwd)
  await mkdir(reportFolder)
  if (framework === 'go') await writeTree(cwd, { 'go.mod': files['go.mod']! })
  if (framework === 'maven') {
    // What an earlier run left does not count.
    await writeTree(cwd, { 'src/test/java/sum/SumTest.java': '', [surefire('Old')]: files['report.xml']! })
  }
  const project = await openProject({ cwd, path: '' })
  const runner = runners.find((known) => known.framework === framework)!
  const reader = await runner.read({ project, reportFolder })
  if (framework === 'maven') await writeTree(cwd, { [surefire('SumTest')]: files['report.xml']! })
  for (const name of ['report.json', 'report.xml']) {
    if (files[name] !== undefined) await writeFile(join(reportFolder, name), files[name])
  }
  for (const line of files['output.txt']?.trimEnd().split('\n') ?? []) reader.onLine?.(line)
  const results = await reader.finish()
  const actual = { counts: results?.counts, failures: results?.failures }
  await expect(`${JSON.stringify(actual, null, 2)}\n`).toMatchFileSnapshot(join(cases, framework, 'expected.json'))
})

test.for(frameworks)('a run of %s that wrote nothing has no results', async (framework) => {
  const cwd = await makeTestFolder()
  const project = await openProject({ cwd, path: '' })
  const reader = await runners.find((known) => known.framework === framework)!.read({ project, reportFolder: cwd })
  reader.onLine?.('error: it could not be built')
  expect(await reader.finish()).toBeNull()
})

function surefire(name: string): string {
  return `target/surefire-reports/TEST-sum.${name}.xml`
}

async function readCase(framework: string, cwd: string): Promise<Record<string, string>> {
  const folder = join(cases, framework)
  const names = await readdir(folder)
  const files = names.map(
    async (name) => [name, (await readFile(join(folder, name), 'utf8')).replaceAll('{{cwd}}', cwd)] as const,
  )
  return Object.fromEntries(await Promise.all(files))
}
