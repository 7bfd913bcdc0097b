export type { Auth, AuthAnswer, AuthOutcome, AuthRequest, Principal } from './auth/auth.ts'
export type {
  Component,
  ComponentOf,
  PromptComponent,
  Provider,
  ResourceComponent,
  TemplateComponent,
  ToolComponent,
} from './component/component.ts'
export { content } from './component/content.ts'
export type {
  Awaitable,
  Common,
  Completer,
  ErrorResult,
  Kind,
  PromptDefinition,
  PromptHandler,
  PromptOutput,
  ResourceDefinition,
  ResourceHandler,
  ResourceOutput,
  ToolDefinition,
  ToolHandler,
  ToolOutput,
  Tools,
  ToolSignature,
} from './component/define.ts'
export type { UriVariables } from './component/uri-variables.ts'
export type { MountOptions } from './compose/mount-provider.ts'
export type { Connection, ConnectionKind, Connections, EndReason, Notifier } from './connection/connection.ts'
export type { Answer, Context, HttpInfo, Log, Questions, State, StateOptions } from './context/context.ts'
export {
  generated,
  prompt,
  resource,
  tool,
  type AutoTool,
  type GeneratedMethod,
  type GeneratedMethods,
  type JsonSchema,
  type NamedPrompt,
  type NamedTool,
  type PromptDecorator,
  type ResourceDecorator,
  type ToolDecorator,
  type ToolField,
  type ToolsIn,
} from './decorator/index.ts'
export {
  ConfigError,
  Denied,
  errorCode,
  McpError,
  NotFound,
  StaleRevision,
  ToolError,
  type ToolErrorOptions,
} from './protocol/errors.ts'
export { versions, type Era, type Version } from './protocol/version.ts'
export { memoryBackend, type Backend } from './registry/memory-backend.ts'
export { memoryBus } from './registry/memory-bus.ts'
export { memoryRegistry, type MemoryRegistryOptions } from './registry/memory-registry.ts'
export type { Bus, Membership, NodeInfo, Registry } from './registry/registry.ts'
export { jsonSchema, type Given, type Parsed, type Schema } from './schema/schema.ts'
export { server, serverOf, type AnyApp, type App, type Plugin } from './server/app.ts'
export type { Behaviour, Exchange, NoReply, Opening, Reply } from './host/behaviour.ts'
export type { Method, Middleware, RequestOf, ResultOf } from './server/middleware.ts'
export type { Served } from './server/served.ts'
export type { Concurrency, RunOptions, ServerOptions } from './host/settings.ts'
export { memoryEventLog, type MemoryEventLog, type MemoryEventLogOptions } from './store/memory-event-log.ts'
export { memoryStore, type MemoryStore, type MemoryStoreOptions } from './store/memory-store.ts'
export type { EventLog, LoggedEvent, SaveOptions, Store, Stored } from './store/store.ts'
export type { ChildSpec } from './supervise/child.ts'
export type { Clock } from './supervise/clock.ts'
export type { Health, Running } from './supervise/running.ts'
export { ChildFailed, supervise, type SuperviseOptions, type Supervisor } from './supervise/supervise.ts'
export { startTask, tasks, type TasksOptions } from './task/tasks.ts'
export { on, type EventName, type Events } from './telemetry/events.ts'
export type { Span } from './telemetry/span.ts'
export type { HttpApp, HttpOptions } from './transport/http/http-app.ts'
export type { StdioOptions } from './transport/stdio.ts'
