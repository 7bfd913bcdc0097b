export {
  abilitySchemas,
  ChangeReview,
  CodeAdvice,
  CodeAdviceInput,
  CodeChanges,
  CodeGenerateInput,
  CodeSearch,
  PlanTaskInput,
  ReviewChangesInput,
  SearchCodeInput,
  SearchWebInput,
  TaskPlan,
  TestRun,
  TestsGenerateInput,
  TestsRunInput,
  WebSearch,
} from './ability.ts'
export {
  AccessSettings,
  AccessSettingsPatch,
  ApiKeyInput,
  ApiKeyView,
  NewApiKey,
  OperatorLink,
  PrincipalLimits,
  Scope,
} from './access.ts'
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
export {
  CatalogTool,
  CostReport,
  DryRunReport,
  DryRunRequest,
  FieldView,
  OverrideChange,
  OverrideState,
  OverrideView,
  ToolDetail,
  ToolMatch,
} from './catalog/catalog-view.ts'
export { CustomTool, CustomTools } from './catalog/custom-tool.ts'
export { CatalogFragment, FileNote, FragmentView } from './catalog/fragment.ts'
export { CatalogHistory, CatalogSnapshot, DriftReport, HistoryLimits, PruneReport } from './catalog/drift.ts'
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
export {
  FieldDifference,
  PinApproval,
  PinPolicy,
  PinReview,
  PinView,
  ScanFinding,
  Severity,
  TextHunk,
  ToolFinding,
} from './catalog/pin.ts'
export { CallStep, Condition, Pipeline, Step } from './catalog/pipeline.ts'
export { SchemaStatus } from './catalog/schema-status.ts'
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
export { BindingInput, BindingPatch, BindingView, EffectiveValue, type Binding } from './binding.ts'
export {
  AccessQuestion,
  AccessRuleInput,
  AccessRuleOrder,
  AccessRulePatch,
  AccessRuleView,
  Decision,
  DecisionStep,
  PolicyTrial,
  PolicyTrialReport,
} from './policy.ts'
export { Principal, Role } from './principal.ts'
export { errorCodes, HubError, type ErrorCode } from './errors.ts'
export {
  Collision,
  HubStatus,
  ImportReport,
  LogLine,
  Problem,
  TestReport,
  TestRequest,
  TestStage,
  ToolSummary,
} from './hub.ts'
export { PathQuestion, PathVerdict } from './path-test.ts'
export {
  GeneratedSecret,
  GenerateSecretInput,
  RotationInput,
  SecretInput,
  SecretKeysView,
  SecretName,
  SecretView,
} from './secret.ts'
export { ServerHealth, ServerInput, ServerName, ServerPatch, ServerView } from './server.ts'
export {
  Ability,
  AgentCommand,
  PathPolicy,
  Pricing,
  ProviderKind,
  RouteRule,
  type Session,
  SessionHealth,
  SessionInput,
  SessionLimits,
  SessionName,
  SessionPatch,
  SessionTest,
  SessionView,
  ToolPolicy,
  Usage,
} from './session.ts'
export {
  DispatchSettings,
  RoutingRule,
  type Team,
  TeamCall,
  TeamDecision,
  TeamInput,
  TeamMember,
  type TeamMemberInput,
  TeamMemberPatch,
  TeamMemberView,
  TeamOrder,
  TeamPatch,
  TeamRole,
  TeamTool,
  TeamView,
} from './team.ts'
export {
  ApprovalAnswer,
  ChatEvent,
  ChatInput,
  MessagePart,
  ThreadDetail,
  ThreadInput,
  ThreadMessage,
  ThreadPage,
  ThreadQuery,
  ThreadView,
} from './thread.ts'
export {
  Capture,
  CaptureLevel,
  CapturePatch,
  CaptureView,
  EventFilter,
  EventOutcome,
  EventPage,
  EventQuery,
  EventView,
  OtlpInput,
  Trace,
  TraceFormat,
  TraceId,
  TraceSettings,
  TraceSettingsPatch,
  TraceStats,
} from './trace.ts'
export {
  GrantView,
  IdentityProviderInput,
  IdentityProviderView,
  PasswordSetup,
  TrustedIssuerInput,
  TrustedIssuerView,
  UserInput,
  UserPatch,
  UserSetup,
  UserView,
} from './user.ts'
export { CredentialHolder, CredentialsInput, CredentialsView, PersonalValueView, SignInRequest } from './credential.ts'
