import { join } from 'node:path'
import { readJestJson } from '../report/read-jest-json.ts'
import type { TestRunner } from '../runner.ts'
import { findTestScript, pickOptions } from '../script-command.ts'
import { findNodeEvidence, scriptEndings } from './find-node-evidence.ts'
import { missingRunner } from './missing-runner.ts'

const isProgram = (word: string) => /(^|\/)jest(\.js)?$/.test(word)
const config = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs', 'json'].map((ending) => `jest.config.${ending}`)

/** https://jestjs.io/docs/cli */
export const jest: TestRunner = {
  framework: 'jest',
  endings: scriptEndings,
  advice: 'If packages are missing, install them first: npm install',
  find: (project) => findNodeEvidence(project, { name: 'jest', config, isProgram }),
  async plan(project, paths) {
    const file = await project.findProgram(['node_modules/.bin/jest'], 'jest')
    if (file === null) throw missingRunner('jest', 'Run: npm install --save-dev jest')
    const script = findTestScript(project.manifest, (words) => words.some(isProgram))
    const options = pickOptions(script?.words ?? [], {
      valued: /^(--config|-c|--rootDir|--selectProjects|--env|--testEnvironment|--maxWorkers|-w)$/,
      alone: /^(--runInBand|-i|--passWithNoTests|--detectOpenHandles|--forceExit)$/,
    })
    // `node --experimental-vm-modules node_modules/jest/bin/jest.js` is how projects with ES modules run it.
    const isModules = script?.words.includes('--experimental-vm-modules') === true
    const env = { ...script?.env, ...(isModules && { NODE_OPTIONS: '--experimental-vm-modules' }) }
    // Patterns are regular expressions that match anywhere in the path.
    const patterns = paths.map((path) => path.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    return { file, args: ['--ci', ...options], pathArgs: patterns.length > 0 ? ['--', ...patterns] : [], env }
  },
  read({ project, reportFolder }) {
    const report = join(reportFolder, 'report.json')
    return { args: ['--json', `--outputFile=${report}`], finish: () => readJestJson(report, project.cwd) }
  },
}
