import {
  AccessQuestion,
  type AccessRuleInput,
  type AccessRulePatch,
  type AccessRuleView,
  type Decision,
  HubError,
  PolicyTrial,
  type PolicyTrialReport,
  type Principal,
} from '@herma/contract'
import type { Action } from './action.ts'
import type { AccessRules } from './access-rules.ts'
import { proposeRules, type PastCall, tryRules } from './try-rules.ts'

type Eventually<T> = T | Promise<T>

/** What the policy has to ask others. */
export interface PolicyEnvironment {
  findPrincipal(id: string): Eventually<Principal | undefined>
  /** What is behind a name that clients of a served server use; undefined when there is nothing. */
  findTarget(question: TargetQuestion): Eventually<FoundTarget | undefined>
  /** The newest first. */
  recentCalls(limit: number): Promise<readonly PastCall[]>
}

export type TargetQuestion = Pick<Action, 'server' | 'method' | 'target'>
export type FoundTarget = Pick<Action, 'connector' | 'original' | 'annotations'> & Partial<Pick<Action, 'target'>>

/** What people do with rules: change them, ask why, and try others first. */
export class Policy {
  readonly #rules: AccessRules
  readonly #environment: PolicyEnvironment

  constructor(rules: AccessRules, environment: PolicyEnvironment) {
    this.#rules = rules
    this.#environment = environment
  }

  list(): AccessRuleView[] {
    return this.#rules.list()
  }

  get(id: string): AccessRuleView {
    return this.#rules.get(id)
  }

  add(input: AccessRuleInput): Promise<AccessRuleView> {
    return this.#rules.add(input)
  }

  update(id: string, patch: AccessRulePatch): Promise<AccessRuleView> {
    return this.#rules.update(id, patch)
  }

  order(ids: readonly string[]): Promise<AccessRuleView[]> {
    return this.#rules.order(ids)
  }

  remove(id: string): Promise<void> {
    return this.#rules.remove(id)
  }

  /** A name that leads nowhere is judged all the same: a rule may be about names that do not exist so far. */
  async explain(input: AccessQuestion): Promise<Decision> {
    const { principal, annotations, ...question } = AccessQuestion.parse(input)
    const asking = typeof principal === 'string' ? await this.#principal(principal) : principal
    const found = await this.#environment.findTarget(question)
    return this.#rules.explain({ ...question, ...found, ...(annotations && { annotations }), principal: asking })
  }

  async dryRun(input: PolicyTrial): Promise<PolicyTrialReport> {
    const { rules, limit } = PolicyTrial.parse(input)
    const proposed = proposeRules(rules)
    const calls = await this.#withTargets(await this.#environment.recentCalls(limit))
    const known = new Map<string, Principal | undefined>()
    const findPrincipal = async (id: string) => {
      if (!known.has(id)) known.set(id, await this.#environment.findPrincipal(id))
      return known.get(id)
    }
    return tryRules({ calls, current: this.#rules.quietly(), proposed, findPrincipal })
  }

  /** What a call led to is not recorded in full, so what its name leads to now has to do. */
  async #withTargets(calls: readonly PastCall[]): Promise<PastCall[]> {
    const found = new Map<string, FoundTarget | undefined>()
    const complete: PastCall[] = []
    for (const call of calls) {
      const { server, method, target } = call
      const place = JSON.stringify([server, method, target])
      if (!found.has(place)) found.set(place, await this.#environment.findTarget({ server, method, target }))
      const now = found.get(place)
      complete.push({
        ...call,
        connector: call.connector ?? now?.connector,
        original: call.original ?? now?.original,
        annotations: call.annotations ?? now?.annotations,
      })
    }
    return complete
  }

  async #principal(id: string): Promise<Principal> {
    const principal = await this.#environment.findPrincipal(id)
    if (principal !== undefined) return principal
    throw new HubError(
      'INVALID_PARAMS',
      `Nobody is known as '${id}'. Write operator, user:NAME, key:NAME or client:ID.`,
    )
  }
}
