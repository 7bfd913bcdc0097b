/** What each page of the framework's reference says first, by the entry of `exports` that it describes. */
export const frameworkIntroductions: Readonly<Record<string, string | undefined>> = {
  '.': `Everything that a server needs: \`server()\` with tools, resources and prompts, decorators, the low-level
\`Behaviour\`, contexts, errors, stores, supervision and tasks. Names that have a page of their own are described there.
\`@herma/framework/wire\` is for gateways that pass messages on; it is not part of this reference and may change in any
release.`,
  './wire': undefined,
  './testing':
    'A client for tests: calls typed by the tools of the server, in every protocol revision, in memory or over HTTP.',
  './postgres': 'State, connections and resumable streams in PostgreSQL, so that several processes serve as one.',
  './auth': 'Who asks, and what they may: OAuth 2.1 access tokens, or tokens that you hand out yourself.',
  './telemetry': 'What happens in a server, to listen to, to log and to measure.',
  './remote': 'Another MCP server as part of yours: what it offers is offered here, and calls go there.',
  './openapi': 'An HTTP API as part of a server: each operation of its OpenAPI document becomes a tool.',
  './apps': 'MCP Apps: tools that show a user interface in clients that can.',
  './gen': 'What `npx herma-gen` does, for build scripts: schemas out of TypeScript types and JSDoc.',
  './opentelemetry': 'Traces and metrics of a server by the OpenTelemetry conventions for MCP.',
}
