import type { Framework } from './framework.ts'
import type { Project } from './project.ts'
import type { ResultList } from './report/result-list.ts'

/** How the tests of one framework are found, run and read. */
export interface TestRunner {
  readonly framework: Framework
  /** Of files that it runs; by them, paths tell which framework is meant. */
  readonly endings: readonly string[]
  /** What speaks for it in this project, or null. */
  find(project: Project): Promise<Evidence | null>
  /** Throws TEST_RUNNER_NOT_FOUND when its program is not installed, and says how to get it. */
  plan(project: Project, paths: readonly string[]): Promise<TestCommand>
  /** Starts to read one run. */
  read(run: TestRun): ResultReader | Promise<ResultReader>
  /** What to do when it could not even start the tests; most often something was never downloaded. */
  readonly advice: string
}

export interface Evidence {
  readonly strength: EvidenceStrength
  /** Half a sentence. */
  readonly because: string
}

/** A script of the project runs it; a file is made for it; there are only tests that look like its own. */
export type EvidenceStrength = 'script' | 'file' | 'guess'

export interface TestCommand {
  readonly file: string
  readonly args: readonly string[]
  /** The last arguments. */
  readonly pathArgs: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export interface TestRun {
  readonly project: Project
  /** Outside of the workspace; nobody else writes into it. */
  readonly reportFolder: string
}

export interface ResultReader {
  /** Arguments by which the runner is told to write a report that can be read. */
  readonly args: readonly string[]
  /** Gets every line of standard output and gives what a person should see of it, or null. */
  onLine?(line: string): string | null
  /** Null when there was nothing to read. */
  finish(): Promise<ResultList | null>
}
