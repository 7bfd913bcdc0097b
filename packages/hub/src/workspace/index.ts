export { compileGlobs, type PathMatcher } from './path/compile-globs.ts'
export type { PathVerdict } from './path/explain-path.ts'
export { explainPlace } from './explain-place.ts'
export type { PathRefusal } from './path/locate-path.ts'
export { openWorkspace, type WorkspaceOptions } from './open-workspace.ts'
export type { PathPolicy } from './path/path-policy.ts'
export type { OnViolation } from './path/path-refusal.ts'
export { type FileChange, type Commit, Stage } from './stage/stage.ts'
export type { StageLimits } from './stage/staged-files.ts'
export type { WalkEnd, WalkOptions } from './walk-files.ts'
export { browseFolder } from './browse-folder.ts'
export type { BrowseFolder } from './api.ts'
export { openWorkspaces, type Workspaces } from './workspaces.ts'
export type { FileState, FolderEntry, Listing, Workspace } from './workspace.ts'
export { HalfDoneError } from './commit/commit-journal.ts'
export { recoverJournals } from './commit/recover-journals.ts'
export type { CopyChange } from './copy/copy-changes.ts'
export type { CopyLimits } from './copy/copy-limits.ts'
export { removeTree, sweepFolder } from './copy/remove-tree.ts'
export { openWorkingCopy, type WorkingCopy, type WorkingCopyOptions } from './copy/working-copy.ts'
export {
  searchFolder,
  type FoundFile,
  type FoundLine,
  type CodeSearchOptions,
  type CodeSearchResult,
} from './search/search-code.ts'
export { detectFramework, type Detection, type DetectOptions } from './test-run/detect-framework.ts'
export { frameworks, toFramework, type Framework } from './test-run/framework.ts'
export { runTests, type TestOptions, type TestEnvironment } from './test-run/run-tests.ts'
export type { TestCounts, TestFailure, TestReport } from './test-run/report/test-report.ts'
