import { ChangeTopic } from '@herma/contract'

/** A set of topics in one number, because every call of a client asks for one. */
export type TopicSet = number

/** What somebody may see otherwise after an event of this kind, or a touch of this noun. */
export function topicsOf(kind: string): TopicSet {
  const known = kinds.get(kind)
  if (known !== undefined) return known
  const end = kind.indexOf('.')
  const topics = topicsByNoun[kind] ?? topicsByNoun[end < 0 ? kind : kind.slice(0, end)] ?? []
  // Whatever is an event can be found among traces; a touch is not recorded.
  const set = toTopicSet(end < 0 ? topics : [...topics, 'traces'])
  if (kinds.size < maxKinds) kinds.set(kind, set)
  return set
}

export function toTopicSet(topics: readonly ChangeTopic[]): TopicSet {
  return topics.reduce((set, topic) => set | (1 << ChangeTopic.options.indexOf(topic)), 0)
}

export function listTopics(set: TopicSet): ChangeTopic[] {
  return ChangeTopic.options.filter((_, index) => (set & (1 << index)) !== 0)
}

/** The source names every kind; this only keeps a mistake from growing. */
const maxKinds = 1000
const kinds = new Map<string, TopicSet>()

/** By the noun of a kind, or by the kind where it differs. What is nothing but traffic has no topics of its own. */
export const topicsByNoun: Readonly<Record<string, readonly ChangeTopic[]>> = {
  connector: ['connectors', 'catalog', 'servers', 'bindings', 'sessions'],
  downstream: ['connectors', 'catalog', 'servers'],
  call: ['connectors', 'servers'],
  step: ['connectors'],
  turn: ['sessions', 'teams', 'threads', 'servers'],
  thread: ['threads'],
  session: ['sessions', 'servers', 'bindings', 'teams', 'threads'],
  binding: ['bindings', 'sessions', 'connectors'],
  team: ['teams', 'servers', 'sessions'],
  member: ['teams', 'servers', 'sessions'],
  server: ['servers', 'connectors'],
  catalog: ['catalog', 'servers', 'connectors'],
  override: ['catalog', 'servers'],
  composite: ['catalog', 'servers', 'connectors'],
  bundle: ['connectors', 'sessions', 'bindings', 'teams', 'servers', 'catalog'],
  discovery: ['settings'],
  tool: ['catalog', 'servers'],
  secret: ['secrets', 'connectors', 'sessions', 'bindings'],
  'data-key': ['secrets', 'settings'],
  'master-key': ['secrets', 'settings'],
  access: ['access', 'settings'],
  // Anybody can be refused as often as he likes, and it changes nothing.
  'access.refused': [],
  key: ['access'],
  rule: ['access'],
  user: ['access'],
  grant: ['access'],
  provider: ['access', 'settings'],
  issuer: ['access', 'settings'],
  client: ['access'],
  // Who reads nothing is cut off as often as it asks, and it changes nothing.
  'client.cut': [],
  capture: ['settings', 'servers'],
  'trace-settings': ['settings'],
  hub: ['settings'],
  store: ['settings'],
  message: [],
  part: [],
  question: [],
  route: [],
  events: [],
  refusals: [],
  workspace: [],
}
