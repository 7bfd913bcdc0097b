import { relative } from 'node:path'
import { locateFailure } from './locate-failure.ts'
import { readWhole } from '../../search/read-whole.ts'
import { ResultList } from './result-list.ts'

const maxReportBytes = 64 * 1024 * 1024

/** The report that Jest and Vitest write as JSON; null when there is none that can be read. */
export async function readJestJson(file: string, cwd: string): Promise<ResultList | null> {
  const report = parse(await readWhole(file, maxReportBytes))
  if (report === null) return null
  const results = new ResultList()
  for (const suite of report.testResults) {
    const path = relative(cwd, suite.name)
    for (const test of suite.assertionResults) addTest(results, test, { path, cwd })
    // A file that cannot be loaded has no tests, so it counts as one that failed.
    if (suite.status === 'failed' && !suite.assertionResults.some((test) => test.status === 'failed')) {
      const message = suite.message ?? ''
      results.addFailed({ name: path, file: path, ...locateFailure(message, { cwd }), message: shorten(message, cwd) })
    }
  }
  return results
}

/** What we read of the report; the runner is the project's own, so every field may be missing. */
interface JestReport {
  readonly testResults: readonly JestSuite[]
}

interface JestSuite {
  readonly name: string
  readonly status: string
  readonly message?: string
  readonly assertionResults: readonly JestTest[]
}

interface JestTest {
  readonly ancestorTitles?: readonly string[]
  readonly title: string
  readonly status: string
  readonly failureMessages?: readonly string[]
}

function addTest(results: ResultList, test: JestTest, { path, cwd }: { path: string; cwd: string }): void {
  if (test.status === 'passed') results.addPassed()
  else if (test.status === 'failed') {
    const message = (test.failureMessages ?? []).join('\n\n')
    const name = [...(test.ancestorTitles ?? []), test.title].join(' > ')
    results.addFailed({ name, file: path, ...locateFailure(message, { cwd }), message: shorten(message, cwd) })
  } else results.addSkipped()
}

function parse(bytes: Buffer | null): JestReport | null {
  if (bytes === null) return null
  try {
    const value = JSON.parse(bytes.toString('utf8')) as { testResults?: Partial<JestSuite>[] }
    if (!Array.isArray(value.testResults)) return null
    return {
      testResults: value.testResults.map((suite) => ({
        name: String(suite.name),
        status: String(suite.status),
        ...(typeof suite.message === 'string' && { message: suite.message }),
        assertionResults: Array.isArray(suite.assertionResults) ? suite.assertionResults : [],
      })),
    }
  } catch {
    // A report that was cut off, when the runner was killed while it wrote.
    return null
  }
}

/** Frames of the runner itself say nothing about the test, and paths are shorter from the working directory. */
function shorten(message: string, cwd: string): string {
  const lines = message
    .split('\n')
    .filter((line) => !/^\s+at .*(node_modules\/|node:internal|new Promise \()/.test(line))
  return lines.join('\n').replaceAll(`${cwd}/`, '')
}
