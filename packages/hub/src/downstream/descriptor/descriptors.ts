import { HubError } from '@herma/contract'
import { isObject, markElements, paramHeaderProblem, type Descriptor } from '../../wire/index.ts'
import type { Link } from '../link/link.ts'
import { ListCollector } from './list-collector.ts'
import { AnsweredError } from '../link/request-call.ts'

export type DescriptorKind = 'tools' | 'resources' | 'resourceTemplates' | 'prompts'
export type Descriptors = Record<DescriptorKind, Descriptor[]>

export const descriptorKinds: readonly DescriptorKind[] = ['tools', 'resources', 'resourceTemplates', 'prompts']

export const noDescriptors: Descriptors = { tools: [], resources: [], resourceTemplates: [], prompts: [] }

/** What a notification of a server says has changed. */
export const changedKinds: ReadonlyMap<string, readonly DescriptorKind[]> = new Map([
  ['notifications/tools/list_changed', ['tools']],
  ['notifications/prompts/list_changed', ['prompts']],
  ['notifications/resources/list_changed', ['resources', 'resourceTemplates']],
])

/** Member that identifies an entry; one without it cannot be used and is left out. */
export const descriptorKeys: Record<DescriptorKind, string> = {
  tools: 'name',
  resources: 'uri',
  resourceTemplates: 'uriTemplate',
  prompts: 'name',
}

const listMethods: Record<DescriptorKind, { readonly method: string; readonly capability: string }> = {
  tools: { method: 'tools/list', capability: 'tools' },
  resources: { method: 'resources/list', capability: 'resources' },
  resourceTemplates: { method: 'resources/templates/list', capability: 'resources' },
  prompts: { method: 'prompts/list', capability: 'prompts' },
}

/** A server that never ends its list must not keep the hub busy either. */
const maxPages = 1000

/** Whether the server of a link says that it has such a list. */
export function offersKind({ handshake }: Link, kind: DescriptorKind): boolean {
  return handshake?.capabilities[listMethods[kind].capability] !== undefined
}

/** Reads a list with all its pages, up to the limits of the connector. `onLeftOut` hears what is beyond them. */
export async function listDescriptors(
  link: Link,
  kind: DescriptorKind,
  onLeftOut: (problem: string) => void = (problem) => link.owner.onRemark(problem),
): Promise<Descriptor[]> {
  const { method } = listMethods[kind]
  if (!offersKind(link, kind)) return []
  const { name, options } = link.settings
  const collector = new ListCollector(kind, options)
  const seen = new Set<string>()
  let cursor: string | undefined
  for (;;) {
    const result = await listPage(link, method, cursor)
    const given = isObject(result) ? result[kind] : undefined
    if (!isObject(result) || !Array.isArray(given)) {
      throw new HubError('DOWNSTREAM_FAILED', `'${name}' answered ${method} without a list of ${kind}.`)
    }
    markElements(result, kind)
    for (const entry of given) {
      const problem = problemOf(entry, kind, link)
      if (problem === undefined) collector.take(entry as Descriptor)
      else link.owner.onRemark(`left an entry of ${method} out: ${problem}`)
      if (collector.isFull) break
    }
    const next = result['nextCursor']
    const isLast = typeof next !== 'string' || next === ''
    const isEndless = !isLast && (seen.has(next) || seen.size >= maxPages)
    if (isLast || isEndless || collector.isFull) {
      const { entries } = collector
      if (isEndless && !collector.isFull)
        onLeftOut(`the answers to ${method} do not end: after ${entries.length} entries the rest was left out`)
      for (const problem of collector.problems) onLeftOut(problem)
      return entries
    }
    seen.add(next)
    cursor = next
  }
}

function problemOf(entry: unknown, kind: DescriptorKind, link: Link): string | undefined {
  const key = descriptorKeys[kind]
  const name = isObject(entry) ? entry[key] : undefined
  if (!isObject(entry) || typeof name !== 'string' || name === '') return `it has no ${key}`
  if (kind !== 'tools' || !link.mirrorsParams) return undefined
  const problem = paramHeaderProblem(entry['inputSchema'])
  return problem === undefined ? undefined : `the tool ${name} cannot be called over HTTP, ${problem}`
}

async function listPage(link: Link, method: string, cursor: string | undefined): Promise<unknown> {
  try {
    return await link.request(
      method,
      cursor === undefined ? undefined : { cursor },
      link.settings.options.handshakeTimeoutMs,
    )
  } catch (error) {
    // Some servers claim a capability and then do not know its list; that is an empty one.
    if (error instanceof AnsweredError && error.error.code === -32601) {
      return { tools: [], resources: [], resourceTemplates: [], prompts: [] }
    }
    if (error instanceof HubError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new HubError('DOWNSTREAM_FAILED', `'${link.settings.name}' did not answer ${method}: ${reason}`, {
      cause: error,
    })
  }
}
