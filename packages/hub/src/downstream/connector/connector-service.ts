import type {
  ConnectorInput,
  ConnectorPatch,
  ConnectorView,
  DownstreamHealth,
  LogLine,
  StoredTestRequest,
  TestReport,
  TestRequest,
  ToolSummary,
} from '@herma/contract'

/**
 * Everything that people and programs may do with connectors. The management API is a thin layer over it.
 * Unknown names throw CONNECTOR_NOT_FOUND, bad fields CONNECTOR_INVALID with the zod issues as its cause.
 */
export interface ConnectorService {
  list(): ConnectorView[]
  get(name: string): ConnectorView
  add(input: ConnectorInput): Promise<ConnectorView>
  update(name: string, patch: ConnectorPatch): Promise<ConnectorView>
  remove(name: string): Promise<void>
  /** Tests a stored connector, perhaps with changes, with a downstream of its own, without touching the one in use. */
  test(name: string, request?: StoredTestRequest): Promise<TestReport>
  /** Tests a connector that is not stored yet. */
  testInput(input: ConnectorInput, request?: TestRequest): Promise<TestReport>
  /** Removes a folder that a test named; nothing else is ever removed. */
  removeBrokenCache(name: string, folder: string): Promise<void>
  health(name: string): DownstreamHealth
  tools(name: string): ToolSummary[]
  /** Last lines of standard error and of the hub's own remarks, oldest first. */
  logs(name: string, limit?: number): LogLine[]
}
