import { join } from 'node:path'
import { readJestJson } from '../report/read-jest-json.ts'
import type { TestRunner } from '../runner.ts'
import { findTestScript, pickOptions } from '../script-command.ts'
import { findNodeEvidence, scriptEndings } from './find-node-evidence.ts'
import { missingRunner } from './missing-runner.ts'

const isProgram = (word: string) => /(^|\/)vitest(\.mjs)?$/.test(word)
const config = ['vitest', 'vitest.workspace'].flatMap((name) =>
  ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].map((ending) => `${name === 'vitest' ? 'vitest.config' : name}.${ending}`),
)

/** https://vitest.dev/guide/cli */
export const vitest: TestRunner = {
  framework: 'vitest',
  endings: scriptEndings,
  advice: 'If packages are missing, install them first: npm install',
  find: (project) => findNodeEvidence(project, { name: 'vitest', config, isProgram }),
  async plan(project, paths) {
    const file = await project.findProgram(['node_modules/.bin/vitest'], 'vitest')
    if (file === null) throw missingRunner('vitest', 'Run: npm install --save-dev vitest')
    const script = findTestScript(project.manifest, (words) => words.some(isProgram))
    const options = pickOptions(script?.words ?? [], {
      valued: /^(--config|-c|--root|--dir|--project|--environment|--mode)$/,
      alone: /^--(globals|passWithNoTests|typecheck|no-isolate|no-file-parallelism)$/,
    })
    // What stands after `--` is not taken for a path.
    return { file, args: ['run', ...options], pathArgs: paths, env: script?.env ?? {} }
  },
  read({ project, reportFolder }) {
    const report = join(reportFolder, 'report.json')
    return {
      args: ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
      finish: () => readJestJson(report, project.cwd),
    }
  },
}
