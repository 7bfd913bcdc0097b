import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  AccessRuleInput,
  type AccessRulePatch,
  type AccessRuleView,
  type Decision,
  type DecisionStep,
  HubError,
  type Principal,
} from '@herma/contract'
import type { Events } from '../../platform/events.ts'
import type { Log } from '../../platform/log.ts'
import type { Metric } from '../../platform/metric/metrics.ts'
import type { Action } from './action.ts'
import { mayUseEverything } from './base-grant.ts'
import { type CompiledRule, compileRule, type RuleText } from './expression/compile-rule.ts'
import { decide, explain } from './decide.ts'
import { Meter } from './expression/meter.ts'
import { RuleFailure } from './expression/rule-failure.ts'
import { createRuleSet, type RuleSet } from './rule-set.ts'
import type { RuleStore, StoredRule } from './store.ts'

const maxRules = 500
/** A rule that fails on every call is told of once in this time. */
const failureQuietMs = 60_000

/** How often rules that another hub may have changed are read anew. */
const rereadMs = 1000

export interface AccessRulesOptions {
  readonly store: RuleStore
  readonly events: Events
  readonly log: Log
  /** Whether other hubs may change the rules. */
  readonly isStoreShared: boolean
}

/** The rules of access: stored, compiled once, asked on every call without waiting for anything. */
export class AccessRules {
  readonly #store: RuleStore
  readonly #events: Events
  readonly #options: AccessRulesOptions
  readonly #meter = new Meter()
  #stored: readonly StoredRule[] = []
  #set: RuleSet
  readonly #problems = new Map<string, { problem: string; toldAt: number }>()
  #failures = 0
  #turn: Promise<unknown> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  constructor(options: AccessRulesOptions) {
    this.#options = options
    this.#store = options.store
    this.#events = options.events
    this.#set = this.#setOf([])
  }

  async start(): Promise<void> {
    await this.#load()
    const { isStoreShared, log } = this.#options
    const reread = () =>
      void this.#inTurn(() => this.#load()).catch((error: unknown) => log.warn('rules could not be read', { error }))
    if (isStoreShared) this.#timer = setInterval(reread, rereadMs).unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#turn
  }

  check(action: Action): Decision {
    return decide(this.#set, action)
  }

  /** Whether this principal may do everything, so that nothing has to be decided. */
  isFree(principal: Principal): boolean {
    return this.#set.rules.length === 0 && mayUseEverything(principal)
  }

  /** With what every rule says, also those that are off. */
  explain(action: Action): Decision {
    const { trail, ...decision } = explain(this.quietly(), action)
    const off = this.#stored.filter(({ enabled }) => !enabled).map(offStep)
    return { ...decision, trail: [...trail, ...off] }
  }

  /** The rules as they are now, for asking what they would say without leaving a trace of it. */
  quietly(): RuleSet {
    return { ...this.#set, onFailure: () => {} }
  }

  list(): AccessRuleView[] {
    return this.#stored.map((rule) => this.#view(rule))
  }

  get(id: string): AccessRuleView {
    return this.#view(this.#find(id))
  }

  add(input: AccessRuleInput): Promise<AccessRuleView> {
    const rule = AccessRuleInput.parse(input)
    const id = randomBytes(4).toString('hex')
    compileRule({ id, ...rule }, new Meter())
    return this.#inTurn(async () => {
      if (this.#stored.length >= maxRules)
        throw new HubError('OVERLOADED', `There are ${maxRules} rules, the most there can be. Remove one first.`)
      await this.#store.insert(id, rule)
      await this.#load()
      this.#events.emit('rule.added', null, { rule: id, after: rule })
      return this.get(id)
    })
  }

  update(id: string, patch: AccessRulePatch): Promise<AccessRuleView> {
    return this.#inTurn(async () => {
      const before = fieldsOf(this.#find(id))
      const after = { ...before, ...patch }
      compileRule({ id, ...after }, new Meter())
      await this.#store.update(id, after)
      this.#problems.delete(id)
      await this.#load()
      this.#events.emit('rule.changed', null, { rule: id, before, after })
      return this.get(id)
    })
  }

  order(ids: readonly string[]): Promise<AccessRuleView[]> {
    return this.#inTurn(async () => {
      const known = this.#stored.map(({ id }) => id)
      if (ids.length !== known.length || new Set([...ids, ...known]).size !== known.length)
        throw new HubError('INVALID_PARAMS', `Name every rule once. There are: ${known.join(', ')}`)
      await this.#store.order(ids)
      await this.#load()
      this.#events.emit('rule.ordered', null, { before: known, after: ids })
      return this.list()
    })
  }

  remove(id: string): Promise<void> {
    return this.#inTurn(async () => {
      const before = fieldsOf(this.#find(id))
      await this.#store.remove(id)
      await this.#load()
      this.#events.emit('rule.removed', null, { rule: id, before })
    })
  }

  metrics(): Metric[] {
    return [
      { name: 'access_rules', help: 'Rules that are on.', kind: 'gauge', read: () => this.#set.rules.length },
      {
        name: 'access_rule_failures_total',
        help: 'Times that a rule could not be worked out.',
        kind: 'counter',
        read: () => this.#failures,
      },
    ]
  }

  async #load(): Promise<void> {
    const stored = await this.#store.loadAll()
    if (isDeepStrictEqual(stored, this.#stored)) return
    this.#stored = stored
    this.#set = this.#setOf(stored.filter(({ enabled }) => enabled).map((rule) => this.#compile(rule)))
    const ids = new Set(stored.map(({ id }) => id))
    for (const id of this.#problems.keys()) if (!ids.has(id)) this.#problems.delete(id)
  }

  /** A rule that a version before this one stored may not be readable any more; then it fails whenever it is asked. */
  #compile(rule: StoredRule): CompiledRule {
    try {
      return compileRule(rule, this.#meter)
    } catch (error) {
      const problem = (error as Error).message
      this.#problems.set(rule.id, { problem, toldAt: 0 })
      return unreadable(rule, problem)
    }
  }

  #setOf(rules: readonly CompiledRule[]): RuleSet {
    return createRuleSet(rules, {
      meter: this.#meter,
      onFailure: (rule, problem) => this.#noteFailure(rule, problem),
    })
  }

  #noteFailure({ id }: CompiledRule, problem: string): void {
    this.#failures += 1
    const now = Date.now()
    const toldAt = this.#problems.get(id)?.toldAt ?? 0
    const isQuiet = now - toldAt < failureQuietMs
    this.#problems.set(id, { problem, toldAt: isQuiet ? toldAt : now })
    if (!isQuiet) this.#events.emit('rule.failed', null, { rule: id, problem })
  }

  #view(rule: StoredRule): AccessRuleView {
    return {
      id: rule.id,
      position: rule.position,
      ...fieldsOf(rule),
      problem: this.#problems.get(rule.id)?.problem ?? null,
      createdAt: rule.createdAt.toISOString(),
      updatedAt: rule.updatedAt.toISOString(),
    }
  }

  #find(id: string): StoredRule {
    const rule = this.#stored.find((stored) => stored.id === id)
    if (rule !== undefined) return rule
    throw new HubError('RULE_NOT_FOUND', `There is no rule '${id}'. See: herma policy list`)
  }

  /** Changes do not overtake each other, so that what is in memory is what was stored last. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work)
    // Whoever asked hears of a failure; the next one in turn need not.
    this.#turn = result.catch(() => undefined)
    return result
  }
}

function fieldsOf({ effect, description, when, enabled }: Required<AccessRulePatch>): Required<AccessRulePatch> {
  return { effect, description, when, enabled }
}

function unreadable({ id, effect, description }: RuleText, problem: string): CompiledRule {
  return {
    id,
    effect,
    description,
    tools: null,
    guards: [],
    fields: [],
    usesArguments: false,
    matches() {
      throw new RuleFailure(problem)
    },
  }
}

function offStep({ id, effect, description }: StoredRule): DecisionStep {
  return { step: id, outcome: 'disabled', note: description === '' ? effect : `${effect}: ${description}`, values: {} }
}
