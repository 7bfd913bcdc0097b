import type { Kind } from '../../component/define.ts'
import { isObject } from '../../wire/meta.ts'
import type { RemoteLink } from './remote-link.ts'

export type Descriptor = Readonly<Record<string, unknown>>

interface Kept {
  readonly link: RemoteLink
  readonly at: number
  readonly entries: Promise<readonly Descriptor[]>
}

const sources = {
  tool: { method: 'tools/list', field: 'tools', id: 'name', capability: 'tools' },
  prompt: { method: 'prompts/list', field: 'prompts', id: 'name', capability: 'prompts' },
  resource: { method: 'resources/list', field: 'resources', id: 'uri', capability: 'resources' },
  template: {
    method: 'resources/templates/list',
    field: 'resourceTemplates',
    id: 'uriTemplate',
    capability: 'resources',
  },
} as const

const maxPages = 100
const timeoutMs = 10_000

/** What a remote server offers, asked for once and again when it says that something changed. */
export class RemoteLists {
  readonly #refreshMs: number
  readonly #kept = new Map<Kind, Kept>()

  /** Lists whose changes the server does not announce are asked for again after `refreshMs`. */
  constructor(refreshMs: number) {
    this.#refreshMs = refreshMs
  }

  get(kind: Kind, link: RemoteLink): Promise<readonly Descriptor[]> {
    const { capability } = sources[kind]
    const offered = link.client.getServerCapabilities()?.[capability]
    if (offered === undefined) return Promise.resolve([])
    const kept = this.#kept.get(kind)
    const isFresh = offered.listChanged === true || (kept !== undefined && Date.now() - kept.at < this.#refreshMs)
    if (kept?.link === link && isFresh) return kept.entries
    const entries = fetchAll(kind, link)
    this.#kept.set(kind, { link, at: Date.now(), entries })
    entries.catch(() => {
      if (this.#kept.get(kind)?.entries === entries) this.#kept.delete(kind)
    })
    return entries
  }

  /** Returns the kinds that the notification is about. */
  changed(method: string): readonly Kind[] {
    const kinds = kindsOf(method)
    for (const kind of kinds) this.#kept.delete(kind)
    return kinds
  }
}

export function idOf(kind: Kind, descriptor: Descriptor): string {
  return String(descriptor[sources[kind].id])
}

function kindsOf(method: string): readonly Kind[] {
  if (method === 'notifications/tools/list_changed') return ['tool']
  if (method === 'notifications/prompts/list_changed') return ['prompt']
  return method === 'notifications/resources/list_changed' ? ['resource', 'template'] : []
}

async function fetchAll(kind: Kind, link: RemoteLink): Promise<readonly Descriptor[]> {
  const { method, field, id } = sources[kind]
  const signal = AbortSignal.timeout(timeoutMs)
  const found: Descriptor[] = []
  let cursor: unknown
  for (let count = 0; count < maxPages; count++) {
    const result = (await link.request({
      method,
      params: cursor === undefined ? {} : { cursor },
      signal,
    })) as Descriptor
    const entries = result[field]
    if (Array.isArray(entries))
      found.push(...entries.filter((entry) => isObject(entry) && typeof entry[id] === 'string'))
    const next = result['nextCursor']
    if (typeof next !== 'string' || next === cursor) return found
    cursor = next
  }
  return found
}
