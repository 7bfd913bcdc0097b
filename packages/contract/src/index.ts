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
} from './session/ability.ts'
export { AllowedCommand, readAllowedCommand, writeAllowedCommand } from './access/allowed-command.ts'
export {
  AccessSettings,
  AccessSettingsPatch,
  AddressLimits,
  ApiKeyInput,
  ApiKeyView,
  NewApiKey,
  OperatorLink,
  MemoryLimits,
  PrincipalLimits,
  ReachReport,
  Scope,
} from './access/access.ts'
export { loginProof } from './access/login-proof.ts'
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
  OverrideChanges,
  OverrideState,
  OverrideView,
  ToolDetail,
  ToolMatch,
} from './catalog/catalog-view.ts'
export { CompositeInput, CompositeView } from './catalog/composite.ts'
export { CustomTool, CustomTools } from './catalog/custom-tool.ts'
export { CatalogFragment, FileNote, FragmentContent, FragmentView } from './catalog/fragment.ts'
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
export { SchemaAdaptation, SchemaStatus } from './catalog/schema-status.ts'
export { Mode, ToolSelector, View } from './catalog/view.ts'
export { Backup, BackupPartName, RestoreReport, RestoreRequest } from './backup.ts'
export { BrowseQuery, FolderListing } from './browse.ts'
export { ChangeNotice, ChangeTopic } from './change.ts'
export { connectSnippets, type ConnectSnippet, type SnippetOptions } from './server/connect-snippets.ts'
export {
  type Connector,
  ConnectorInput,
  ConnectorName,
  ConnectorOAuth,
  ConnectorOAuthView,
  ConnectorOptions,
  ConnectorPatch,
  ConnectorUses,
  ConnectorView,
  DescriptorCounts,
  DownstreamHealth,
  DownstreamProcess,
  DownstreamState,
  LastTest,
  NamedValue,
  NamedValueView,
  SavedConnector,
  SignInStep,
  SignInView,
  Transport,
} from './connector/connector.ts'
export {
  ContainerIsolation,
  ContainerMount,
  describeContainer,
  formatMount,
  impliedImage,
  Isolation,
  IsolationView,
  parseMount,
} from './connector/isolation.ts'
export { BindingInput, BindingPatch, BindingView, EffectiveValue, type Binding } from './session/binding.ts'
export { effectiveValues } from './session/effective-values.ts'
export { BundleManifest, BundleNeed, BundleView } from './discovery/bundle.ts'
export {
  ClientConfigView,
  ClientImport,
  ClientServerView,
  ConnectorDraft,
  DiscoveredServer,
  DiscoveryNeed,
  DiscoveryOption,
  DiscoveryPlan,
  DiscoveryReport,
  DiscoverySettings,
  ImportAnswer,
  InstallRequest,
  InstallSource,
  NeededProgram,
  officialRegistry,
  PasteInput,
  PasteReport,
  PlannedConnector,
  PlannedFile,
  RegistryPage,
  RegistryQuery,
  RemoveRequest,
} from './discovery/discovery.ts'
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
} from './access/policy.ts'
export { Principal, Role } from './access/principal.ts'
export { errorCodes, HubError, type ErrorCode } from './errors.ts'
export {
  Collision,
  HubStatus,
  StopInput,
  ImportReport,
  LogLine,
  Problem,
  ServerTestRequest,
  StoredTestRequest,
  TestReport,
  TestRequest,
  TestStage,
  ToolSummary,
} from './hub.ts'
export { LatencyLine, LatencyQuery, LatencyReport, LatencySummary, LatencySummaryQuery } from './trace/latency.ts'
export { PathQuestion, PathVerdict, TeamPathQuestion } from './session/path-test.ts'
export { ReplayReport, ReplayRequest } from './trace/replay.ts'
export {
  GeneratedSecret,
  GenerateSecretInput,
  RotationInput,
  SecretInput,
  SecretKeysView,
  SecretName,
  SecretView,
  StoreSecretInput,
  StoreSecretsFlag,
} from './secret/secret.ts'
export { isSecretName } from './secret/secret-name.ts'
export { findSecrets, type SecretFinding, type SecretPlaces } from './secret/find-secrets.ts'
export { looksSecret } from './secret/looks-secret.ts'
export { freeName, moveSecrets, type MovedSecret, putReference, valueAt } from './secret/move-secrets.ts'
export { ServedTool, ServerHealth, ServerInput, ServerName, ServerPatch, ServerView } from './server/server.ts'
export {
  Ability,
  AgentCommand,
  defaultDenied,
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
} from './session/session.ts'
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
  ThreadTotals,
  ThreadView,
} from './session/thread.ts'
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
} from './trace/trace.ts'
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
} from './access/user.ts'
export {
  CredentialHolder,
  CredentialsInput,
  CredentialsView,
  PersonalValueView,
  SignInRequest,
} from './connector/credential.ts'
export { compileGlob, compileGlobs, isGlob, literalLength, type NameMatcher } from './match-glob.ts'
export { isQuoteOpen, quoteWord, splitWords } from './shell-words.ts'
export { replaceSecrets, secretNamePattern, secretNamesIn, type SecretLookup } from './secret/secret-reference.ts'
export { keySecretOf, usualKeySecrets } from './session/key-secret.ts'
