import { HubError } from '@herma/contract'
import { frameworks, type Framework } from './framework.ts'
import { openProject, type Project } from './project.ts'
import type { Evidence, EvidenceStrength, TestRunner, TestCommand } from './runner.ts'
import { runners } from './runners.ts'

export interface DetectOptions {
  /** Absolute, and already checked. */
  readonly cwd: string
  /** Programs are looked for up to here. */
  readonly root?: string | undefined
  readonly paths?: readonly string[] | undefined
  /** Wins over everything that is found. */
  readonly framework?: Framework | undefined
  readonly environment: NodeJS.ProcessEnv
}

export interface Detection {
  readonly framework: Framework
  /** Why this one, and which others were found. */
  readonly because: string
  readonly command: string
  readonly args: readonly string[]
}

/** Tells how the tests of a folder would be run, and why so. */
export async function detectFramework(options: DetectOptions): Promise<Detection> {
  const { runner, because, command } = await chooseRunner(await openTestProject(options), options)
  return { framework: runner.framework, because, command: command.file, args: [...command.args, ...command.pathArgs] }
}

export function openTestProject({ cwd, root, environment }: DetectOptions): Promise<Project> {
  return openProject({ cwd, root, path: environment['PATH'] })
}

export interface ChosenRunner {
  readonly runner: TestRunner
  readonly because: string
  readonly command: TestCommand
}

interface Candidate extends Evidence {
  readonly runner: TestRunner
}

/**
 * One that is asked for wins. Otherwise the endings of the paths narrow the choice, then stronger evidence goes before
 * weaker, and among equals the order of `frameworks` decides.
 */
export async function chooseRunner(project: Project, options: DetectOptions): Promise<ChosenRunner> {
  const { framework, paths = [] } = options
  const asked = runners.find((runner) => runner.framework === framework)
  const { runner, because } = asked ? { runner: asked, because: 'it was asked for' } : await choose(project, paths)
  return { runner, because, command: await runner.plan(project, paths) }
}

const strengths: readonly EvidenceStrength[] = ['script', 'file', 'guess']

async function choose(project: Project, paths: readonly string[]): Promise<{ runner: TestRunner; because: string }> {
  const meant = runners.filter((runner) => paths.some((path) => hasEnding(path, runner.endings)))
  const candidates = await findCandidates(project, meant.length > 0 ? meant : runners)
  const [first, ...others] = candidates.toSorted(
    (a, b) => strengths.indexOf(a.strength) - strengths.indexOf(b.strength),
  )
  if (first !== undefined) return { runner: first.runner, because: explain(first, others) }
  const [only] = meant
  if (only !== undefined && meant.length === 1)
    return { runner: only, because: `the paths end with ${only.endings[0]}` }
  throw new HubError(
    'TEST_RUNNER_NOT_FOUND',
    `Nothing in ${project.cwd} tells how its tests are run: no package.json with vitest, jest or node --test, and ` +
      'no files of pytest, Go, Cargo, Mix or Maven. ' +
      `Choose another working directory, or set "framework" to one of ${frameworks.join(', ')}.`,
  )
}

async function findCandidates(project: Project, among: readonly TestRunner[]): Promise<Candidate[]> {
  const found: Candidate[] = []
  for (const runner of among) {
    const evidence = await runner.find(project)
    if (evidence !== null) found.push({ ...evidence, runner })
  }
  return found
}

function explain(first: Candidate, others: readonly Candidate[]): string {
  if (others.length === 0) return first.because
  const rest = others.map(({ runner, because }) => `${runner.framework} (${because})`).join(', ')
  return `${first.because}; weaker or later: ${rest}`
}

function hasEnding(path: string, endings: readonly string[]): boolean {
  // pytest calls a single test `file.py::name`.
  const file = path.split('::', 1)[0]!
  return endings.some((ending) => file.endsWith(ending))
}
