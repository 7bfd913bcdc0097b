import { UriTemplate, type ReadResourceResult, type Resource } from '@modelcontextprotocol/server'
import type { Context } from '../context/context.ts'
import { ConfigError } from '../protocol/errors.ts'
import type { ResourceComponent, TemplateComponent } from './component.ts'
import type { ResourceDefinition, ResourceOutput } from './define.ts'
import { describeCommon } from './describe-common.ts'
import { matchUriTemplate, type MatchUri } from './match-uri-template.ts'
import { requireHandler } from './require-handler.ts'
import { toResourceResult } from './to-result.ts'

type Handler = (variables: never, context: never) => ResourceOutput | Promise<ResourceOutput>

/** Makes a resource, or, when the URI has variables, a template for many. */
export function makeResource(
  uri: string,
  definition: ResourceDefinition,
  handler: Handler,
): ResourceComponent | TemplateComponent {
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(uri)) {
    throw new ConfigError(`'${uri}' is no URI.`, "Begin it with a scheme, for example 'notes://{id}'.")
  }
  requireHandler(`Resource '${uri}'`, definition, handler)
  return UriTemplate.isTemplate(uri) ? makeTemplate(uri, definition, handler) : makeFixed(uri, definition, handler)
}

function makeFixed(uri: string, definition: ResourceDefinition, handler: Handler): ResourceComponent {
  return {
    kind: 'resource',
    id: uri,
    definition,
    descriptor: { uri, ...describe(uri, definition), ...(definition.size !== undefined && { size: definition.size }) },
    run: (_, context) => read({ uri, definition, handler }, {}, context),
  }
}

function makeTemplate(uri: string, definition: ResourceDefinition, handler: Handler): TemplateComponent {
  const { template, match } = parseTemplate(uri)
  if (template.variableNames.includes('__proto__')) {
    throw new ConfigError(`'${uri}' has a variable '__proto__', which no object can hold.`, 'Rename it.')
  }
  for (const name of Object.keys(definition.complete ?? {})) {
    if (template.variableNames.includes(name)) continue
    throw new ConfigError(
      `'${uri}' has no variable '${name}' to complete.`,
      `It has ${template.variableNames.join(', ')}.`,
    )
  }
  return {
    kind: 'template',
    id: uri,
    definition,
    descriptor: { uriTemplate: uri, ...describe(uri, definition) },
    complete: definition.complete ?? {},
    matches: (candidate) => match(candidate) !== undefined,
    run: (candidate, context) => read({ uri: candidate, definition, handler }, match(candidate) ?? {}, context),
    list: async (context) => (await (definition.list?.(context) ?? [])).map((entry) => toListed(entry, definition)),
  }
}

function parseTemplate(uri: string): { template: UriTemplate; match: MatchUri } {
  try {
    return { template: new UriTemplate(uri), match: matchUriTemplate(uri) }
  } catch (error) {
    throw new ConfigError(`'${uri}' is no URI template: ${(error as Error).message}.`, 'See RFC 6570.')
  }
}

/** Only the host makes contexts, and each of them can say which URI is being read. */
type PlacedContext = Context & { at(uri: string): Context & { readonly uri: URL } }

interface Reading {
  readonly uri: string
  readonly definition: ResourceDefinition
  readonly handler: Handler
}

async function read(
  reading: Reading,
  variables: Record<string, string>,
  context: Context,
): Promise<ReadResourceResult> {
  const { uri, definition, handler } = reading
  const withUri = (context as PlacedContext).at(uri)
  const result = toResourceResult(await handler(variables as never, withUri as never), uri, definition.mimeType)
  return definition.cache === undefined ? result : { ...result, ...definition.cache }
}

function describe(uri: string, definition: ResourceDefinition) {
  const { mimeType } = definition
  return { name: definition.name ?? uri, ...describeCommon(definition), ...(mimeType !== undefined && { mimeType }) }
}

function toListed(entry: { uri: string; name?: string }, definition: ResourceDefinition): Resource {
  const { mimeType } = definition
  return { ...(mimeType !== undefined && { mimeType }), ...entry, name: entry.name ?? entry.uri }
}
