import { join } from 'node:path'
import { compileGlobs } from '../../path/compile-globs.ts'
import { walkSources } from '../../search/walk-sources.ts'
import { locateFailure } from '../report/locate-failure.ts'
import type { Project } from '../project.ts'
import { readJunit, type JunitCase } from '../report/read-junit.ts'
import { readWhole } from '../../search/read-whole.ts'
import { ResultList } from '../report/result-list.ts'
import type { TestRunner } from '../runner.ts'
import { findTestScript, pickOptions } from '../script-command.ts'
import { scriptEndings } from './find-node-evidence.ts'
import { missingRunner } from './missing-runner.ts'

const maxReportBytes = 64 * 1024 * 1024
const maxFiles = 2000
const usesNodeTest = /(?:from|import|require\()\s*['"]node:test['"]/
const valued = /^(--import|--require|-r|--loader|--experimental-loader|--conditions|-C|--env-file)$/
const alone = /^--(experimental-[\w-]+|enable-source-maps|no-warnings)$/

/** The runner of Node.js itself: https://nodejs.org/api/test.html */
export const nodeTest: TestRunner = {
  framework: 'node',
  endings: scriptEndings,
  advice: 'If packages are missing, install them first: npm install',
  async find(project) {
    const script = findScript(project)
    if (script !== null) {
      return { strength: 'script', because: `the script '${script.script}' of package.json runs node --test` }
    }
    const file = await project.findFile(
      async (path) =>
        /(^|[./_-])test\.[cm]?[jt]s$/.test(path) && usesNodeTest.test((await project.readText(path)) ?? ''),
    )
    return file === null ? null : { strength: 'guess', because: `${file} imports node:test` }
  },
  async plan(project, paths) {
    const file = await project.findProgram([], 'node')
    if (file === null) throw missingRunner('node', 'Install Node.js, or put it into the PATH of the hub.')
    const script = findScript(project)
    const words = script?.words.slice(1) ?? []
    const options = pickOptions(words, { valued, alone })
    const own = words.filter((word) => !word.startsWith('-') && !options.includes(word))
    return {
      file,
      args: [...options, '--test'],
      pathArgs: paths.length > 0 ? paths : await expandGlobs(project, own),
      env: script?.env ?? {},
    }
  },
  read({ project, reportFolder }) {
    const report = join(reportFolder, 'report.xml')
    return {
      args: [
        '--test-reporter=spec',
        '--test-reporter-destination=stdout',
        '--test-reporter=junit',
        `--test-reporter-destination=${report}`,
      ],
      async finish() {
        const xml = await readWhole(report, maxReportBytes)
        return xml === null ? null : collect(readJunit(xml.toString('utf8')), project.cwd)
      },
    }
  },
}

function findScript(project: Project) {
  return findTestScript(project.manifest, ([first, ...rest]) => first === 'node' && rest.includes('--test'))
}

/** A shell would do this; node does it by itself only since version 21. */
async function expandGlobs(project: Project, words: readonly string[]): Promise<string[]> {
  const globs = words.filter((word) => /[*?[{]/.test(word))
  const plain = words.filter((word) => !globs.includes(word))
  if (globs.length === 0) return plain
  const isMatch = compileGlobs(globs.map((glob) => (glob.includes('/') ? glob : `./${glob}`)))
  for await (const file of walkSources({ cwd: project.cwd, isDenied: () => false })) {
    if (isMatch(file)) plain.push(file)
    if (plain.length >= maxFiles) break
  }
  return plain
}

function collect(cases: readonly JunitCase[], cwd: string): ResultList {
  const results = new ResultList()
  for (const { name, suites, file, line, outcome, message } of cases) {
    if (outcome === 'passed') results.addPassed()
    else if (outcome === 'skipped') results.addSkipped()
    else {
      const isFile = suites.length === 0 && name.startsWith(`${cwd}/`)
      const place = isFile ? { file: name.slice(cwd.length + 1) } : locateFailure(message, { cwd })
      results.addFailed({
        name: [...suites, isFile ? name.slice(cwd.length + 1) : name].join(' > '),
        ...(file !== null && { file: file.replace(`${cwd}/`, '') }),
        ...(line !== null && { line }),
        ...place,
        message: isFile ? 'The file could not be run; the output says why.' : shorten(message, cwd),
      })
    }
  }
  return results
}

// The error of the runner wraps that of the test and only repeats its message.
function shorten(whole: string, cwd: string): string {
  const message = /\n {2}cause: ([\s\S]+?)\n\}\s*$/.exec(whole)?.[1]?.replaceAll('\n  ', '\n') ?? whole
  const lines = message.split('\n').filter((line) => !/^\s+at .*(\(node:|async Promise\.all)/.test(line))
  return lines.join('\n').replaceAll(`file://${cwd}/`, '').replaceAll(`${cwd}/`, '')
}
