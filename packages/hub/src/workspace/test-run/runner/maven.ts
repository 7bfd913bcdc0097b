import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { walkSources } from '../../search/walk-sources.ts'
import type { Project } from '../project.ts'
import { readJunit, type JunitCase } from '../report/read-junit.ts'
import { readWhole } from '../../search/read-whole.ts'
import { ResultList } from '../report/result-list.ts'
import type { TestRunner } from '../runner.ts'
import { missingRunner } from './missing-runner.ts'

const maxReportBytes = 16 * 1024 * 1024
const maxReports = 5000
const isReport = (path: string) => /(^|\/)target\/(surefire|failsafe)-reports\/TEST-[^/]+\.xml$/.test(path)

/** https://maven.apache.org/surefire/maven-surefire-plugin/test-mojo.html */
export const maven: TestRunner = {
  framework: 'maven',
  endings: ['.java', '.kt', '.scala', '.groovy'],
  advice: 'If artifacts are missing, download them first: mvn dependency:go-offline',
  async find(project) {
    return (await project.has('pom.xml')) ? { strength: 'file', because: 'there is pom.xml' } : null
  },
  async plan(project, paths) {
    const file = await project.findProgram(['mvnw'], 'mvn')
    if (file === null) throw missingRunner('mvn', 'Install Maven: https://maven.apache.org/install.html')
    const args = ['--offline', '--batch-mode', '--no-transfer-progress', '--fail-at-end', 'test']
    return { file, args, pathArgs: toSelection(paths), env: {} }
  },
  async read({ project }) {
    // Surefire writes into the project and nowhere else, so what was there before is told apart.
    const before = await listReports(project)
    return {
      args: [],
      async finish() {
        const after = await listReports(project)
        const written = [...after].filter(([path, version]) => before.get(path) !== version).map(([path]) => path)
        if (written.length === 0) return null
        const results = new ResultList()
        for (const path of written) {
          const xml = await readWhole(join(project.cwd, path), maxReportBytes)
          if (xml !== null) await collect(results, readJunit(xml.toString('utf8')), { project, report: path })
        }
        return results
      },
    }
  },
}

/** Classes are selected by name; a folder below `src/test/java` is a package. */
function toSelection(paths: readonly string[]): string[] {
  if (paths.length === 0) return []
  const names = paths.map((path) => {
    const inside = path.replace(/^.*?src\/test\/\w+\/?/, '').replace(/\/+$/, '')
    if (/\.\w+$/.test(inside)) return inside.replace(/\.\w+$/, '')
    return inside === '' ? '**/*' : `${inside}/**/*`
  })
  return [`-Dtest=${names.join(',')}`, '-DfailIfNoTests=false', '-Dsurefire.failIfNoSpecifiedTests=false']
}

async function listReports({ cwd }: Project): Promise<Map<string, string>> {
  const reports = new Map<string, string>()
  for await (const path of walkSources({ cwd, isDenied: () => false, passBy: 'tools' })) {
    if (!isReport(path)) continue
    const entry = await stat(join(cwd, path)).catch(() => null)
    if (entry !== null) reports.set(path, `${entry.mtimeMs} ${entry.size} ${entry.ino}`)
    if (reports.size >= maxReports) break
  }
  return reports
}

async function collect(
  results: ResultList,
  cases: readonly JunitCase[],
  { project, report }: { project: Project; report: string },
): Promise<void> {
  for (const { name, className, outcome, message } of cases) {
    if (outcome === 'passed') results.addPassed()
    else if (outcome === 'skipped') results.addSkipped()
    else {
      const file = await findSource(project, report, className)
      const line = file === null ? undefined : lineIn(message, basename(file))
      results.addFailed({
        name: `${className}.${name}`,
        ...(file !== null && { file }),
        ...(line !== undefined && { line }),
        message,
      })
    }
  }
}

/** The module of a report is three folders above it. */
async function findSource(project: Project, report: string, className: string): Promise<string | null> {
  const module = dirname(dirname(dirname(report)))
  const path = className.replace(/\$.*$/, '').replaceAll('.', '/')
  for (const place of [`java/${path}.java`, `kotlin/${path}.kt`]) {
    const file = join(module, 'src/test', place)
    if (await project.has(file)) return file
  }
  return null
}

function lineIn(message: string, file: string): number | undefined {
  const at = message.indexOf(`(${file}:`)
  return at < 0 ? undefined : Number.parseInt(message.slice(at + file.length + 2), 10)
}
