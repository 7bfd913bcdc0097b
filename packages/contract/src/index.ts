export {
  Aggregation,
  AggregationState,
  CompositeDefaults,
  MappingRule,
  Operation,
  StateMutation,
  StateOperation,
  ValueSource,
} from './catalog/aggregation.ts'
export { CustomTool, CustomTools } from './catalog/custom-tool.ts'
export { CatalogFragment, FileNote, FragmentView } from './catalog/fragment.ts'
export {
  ExposedName,
  HiddenTool,
  overrideFields,
  ServerOverride,
  Tag,
  ToolAnnotations,
  ToolOverride,
  ToolOverrides,
} from './catalog/override.ts'
export { CallStep, Condition, Pipeline, Step } from './catalog/pipeline.ts'
export { Mode, ToolSelector, View } from './catalog/view.ts'
export { connectSnippets, type ConnectSnippet } from './connect-snippets.ts'
export {
  type Connector,
  ConnectorInput,
  ConnectorName,
  ConnectorOAuth,
  ConnectorOAuthView,
  ConnectorOptions,
  ConnectorPatch,
  ConnectorView,
  DescriptorCounts,
  DownstreamHealth,
  DownstreamState,
  NamedValue,
  NamedValueView,
  SignInStep,
  SignInView,
  Transport,
} from './connector.ts'
export { errorCodes, HubError, type ErrorCode } from './errors.ts'
export {
  Collision,
  EventView,
  HubStatus,
  ImportReport,
  LogLine,
  Problem,
  TestReport,
  TestRequest,
  TestStage,
  ToolSummary,
} from './hub.ts'
export { ServerPatch, ServerView } from './server.ts'
