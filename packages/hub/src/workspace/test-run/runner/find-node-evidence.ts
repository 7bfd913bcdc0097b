import type { Project } from '../project.ts'
import type { Evidence } from '../runner.ts'
import { findTestScript } from '../script-command.ts'

/** Endings of files that the runners of JavaScript understand. */
export const scriptEndings = ['.js', '.jsx', '.ts', '.tsx', '.mjs', '.cjs', '.mts', '.cts']

/** What speaks for a framework that is a package of npm: a script, its configuration, or a dependency. */
export async function findNodeEvidence(
  project: Project,
  { name, config, isProgram }: { name: string; config: readonly string[]; isProgram(word: string): boolean },
): Promise<Evidence | null> {
  const script = findTestScript(project.manifest, (words) => words.some(isProgram))
  if (script !== null) {
    return { strength: 'script', because: `the script '${script.script}' of package.json runs it` }
  }
  for (const file of config) {
    if (await project.has(file)) return { strength: 'file', because: `there is ${file}` }
  }
  return project.manifest?.dependencies.has(name) === true
    ? { strength: 'file', because: `package.json depends on ${name}` }
    : null
}
