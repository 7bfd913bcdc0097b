import { ContainerIsolation, formatMount, type Isolation, parseMount } from '@herma/contract'

/** What the process of a server may touch, while it is edited: numbers as they are typed, mounts as words. */
export interface IsolationDraft {
  readonly type: Isolation['type']
  readonly user: string
  readonly engine: string
  readonly image: string
  readonly network: string
  readonly memoryMb: string
  readonly cpus: string
  readonly processes: string
  readonly mounts: readonly string[]
}

const defaults = ContainerIsolation.parse({ type: 'container' })

export const emptyIsolation: IsolationDraft = {
  type: 'process',
  user: '',
  engine: '',
  image: '',
  network: defaults.network,
  memoryMb: String(defaults.memoryMb),
  cpus: String(defaults.cpus),
  processes: String(defaults.processes),
  mounts: [],
}

export function draftOfIsolation(isolation: Isolation | null): IsolationDraft {
  if (isolation === null) return emptyIsolation
  if (isolation.type === 'none') return { ...emptyIsolation, type: 'none' }
  if (isolation.type === 'process') return { ...emptyIsolation, user: isolation.user ?? '' }
  const { type, user = '', engine = '', image = '', network, memoryMb, cpus, processes, mounts } = isolation
  const numbers = { memoryMb: String(memoryMb), cpus: String(cpus), processes: String(processes) }
  return { type, user, engine, image, network, ...numbers, mounts: mounts.map(formatMount) }
}

/** What is sent; undefined = the default, which is not stored. */
export function toIsolation(draft: IsolationDraft): Record<string, unknown> | undefined {
  const { type } = draft
  const user = draft.user.trim()
  if (type === 'none') return { type }
  if (type === 'process') return user === '' ? undefined : { type, user }
  const image = draft.image.trim()
  return {
    type,
    ...(draft.engine !== '' && { engine: draft.engine }),
    ...(image !== '' && { image }),
    network: draft.network.trim(),
    memoryMb: readNumber(draft.memoryMb),
    cpus: readNumber(draft.cpus),
    processes: readNumber(draft.processes),
    // What is no mount is sent as it is, and the schema says what is wrong with it.
    mounts: draft.mounts.map((text) => parseMount(text.trim()) ?? { source: text }),
    ...(user !== '' && { user }),
  }
}

function readNumber(text: string): unknown {
  return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
}

/** In words, for the list of changes. */
export function describeIsolation(draft: IsolationDraft): string {
  const { type, user, image, engine, network, memoryMb, cpus, processes, mounts } = draft
  if (type !== 'container') return user === '' || type === 'none' ? type : `${type} as ${user}`
  const limits = [`${memoryMb} MB`, `${cpus} CPUs`, `${processes} processes`]
  const parts = [engine, image, `network ${network}`, ...limits, ...mounts, user === '' ? '' : `user ${user}`]
  return ['container', ...parts.filter((part) => part !== '')].join(', ')
}
