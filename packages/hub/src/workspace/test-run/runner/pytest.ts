import { join } from 'node:path'
import { locateFailure } from '../report/locate-failure.ts'
import { readJunit, type JunitCase } from '../report/read-junit.ts'
import { readWhole } from '../../search/read-whole.ts'
import { ResultList } from '../report/result-list.ts'
import type { Evidence, TestRunner } from '../runner.ts'
import type { Project } from '../project.ts'
import { missingRunner } from './missing-runner.ts'

const maxReportBytes = 64 * 1024 * 1024
const places: readonly (readonly [file: string, sign: RegExp])[] = [
  ['pytest.ini', /^/],
  ['conftest.py', /^/],
  ['pyproject.toml', /\[tool\.pytest|["'\s]pytest\b/],
  ['setup.cfg', /\[tool:pytest\]|\bpytest\b/],
  ['tox.ini', /\[pytest\]|\bpytest\b/],
  ['requirements.txt', /^pytest\b/m],
  ['requirements-dev.txt', /^pytest\b/m],
]

/** https://docs.pytest.org/en/stable/reference/reference.html#command-line-flags */
export const pytest: TestRunner = {
  framework: 'pytest',
  endings: ['.py'],
  advice: 'If modules are missing, install them into .venv first: python3 -m venv .venv && .venv/bin/pip install …',
  find: findEvidence,
  async plan(project, paths) {
    const file = await project.findProgram(['.venv/bin/pytest', 'venv/bin/pytest'], 'pytest')
    if (file === null) throw missingRunner('pytest', 'Run: python3 -m venv .venv && .venv/bin/pip install pytest')
    return { file, args: ['--color=no'], pathArgs: paths.length > 0 ? ['--', ...paths] : [], env: {} }
  },
  read({ project, reportFolder }) {
    const report = join(reportFolder, 'report.xml')
    return {
      // The older form of the report names file and line. The cache stays out of the workspace.
      args: [`--junitxml=${report}`, '-o', 'junit_family=xunit1', '-o', `cache_dir=${join(reportFolder, 'cache')}`],
      async finish() {
        const xml = await readWhole(report, maxReportBytes)
        return xml === null ? null : collect(readJunit(xml.toString('utf8')), project.cwd)
      },
    }
  },
}

async function findEvidence(project: Project): Promise<Evidence | null> {
  for (const [file, sign] of places) {
    const text = await project.readText(file)
    if (text !== null && sign.test(text)) return { strength: 'file', because: `there is ${file}` }
  }
  const test = await project.findFile((path) => /(^|\/)(test_[^/]*|[^/]*_test)\.py$/.test(path))
  return test === null ? null : { strength: 'guess', because: `there is ${test}` }
}

function collect(cases: readonly JunitCase[], cwd: string): ResultList {
  const results = new ResultList()
  for (const { name, className, file, line, outcome, message } of cases) {
    if (outcome === 'passed') results.addPassed()
    else if (outcome === 'skipped') results.addSkipped()
    else {
      results.addFailed({
        name: [className, name].filter((part) => part !== '').join('::'),
        // Lines of the report count from zero.
        ...(file !== null && { file, ...(line !== null && { line: line + 1 }) }),
        ...locateFailure(lastPlace(message), { cwd }),
        message: message.replaceAll(`${cwd}/`, ''),
      })
    }
  }
  return results
}

/** pytest ends each piece of a traceback with `file.py:7: Error`; the last one is where it went wrong. */
function lastPlace(message: string): string {
  return message.split('\n').findLast((line) => /^\S+\.py:\d+: /.test(line)) ?? ''
}
