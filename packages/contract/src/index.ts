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
