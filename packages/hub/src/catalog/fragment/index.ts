export { checkFragmentFile } from './file/check-fragment-file.ts'
export { nameForMany } from './check/check-fragment.ts'
export { CompositeFile, compositeFile, listNames, loadDraft } from './file/composite-file.ts'
export { compositeDefaults, embeddedDefaults } from './embedded-defaults.ts'
export type { FragmentFolders } from './fill-placeholders.ts'
export { fragmentContent } from './fragment-content.ts'
export { FragmentWatcher, type FragmentWatcherOptions } from './file/fragment-watcher.ts'
export { type LoadedFragment, loadedWithoutFile } from './loaded-fragment.ts'
export {
  mergeFragments,
  type MergedAggregation,
  type MergedCatalog,
  type MergedFragments,
  type MergedPipeline,
  type Origin,
} from './merge-fragments.ts'
export type { LayeredOverride } from './override-rules.ts'
export { readFragments } from './read-fragments.ts'
