import type { Principal } from '@herma/contract'
import type { Action } from '../action.ts'

/** The variables of rules, with the values that they have for one action. */
export class RuleContext {
  readonly principal: RulePrincipal
  readonly server: string
  readonly connector: string
  readonly tool: string
  readonly original: string
  readonly method: string
  readonly target: string
  readonly annotations: RuleAnnotations
  readonly loopback: boolean
  readonly now: Date
  readonly #action: Action

  constructor(action: Action, now: Date) {
    this.principal = new RulePrincipal(action.principal)
    this.server = action.server
    this.connector = action.connector ?? ''
    this.tool = toolOf(action)
    this.original = action.original ?? ''
    this.method = action.method
    this.target = action.target
    this.annotations = new RuleAnnotations(action.annotations)
    this.loopback = action.loopback
    this.now = now
    this.#action = action
  }

  /** Asked for by rules that look into them only, because whoever asks may find more wrong with them. */
  get arguments(): unknown {
    return this.#action.arguments ?? {}
  }
}

/** The name of the tool that an action calls, as clients see it; empty for everything else. */
export function toolOf({ method, target }: Action): string {
  return method === 'tools/call' ? target : ''
}

/** `principal` in rules. What is absent is empty, so that a rule need not ask first. */
export class RulePrincipal {
  readonly id: string
  readonly kind: string
  readonly name: string
  readonly role: string
  readonly scopes: readonly string[]
  readonly clientId: string

  constructor({ id, kind, name, role, scopes, clientId }: Principal) {
    this.id = id
    this.kind = kind
    this.name = name
    this.role = role
    this.scopes = scopes ?? []
    this.clientId = clientId ?? ''
  }
}

/**
 * `annotations` in rules, with the defaults of MCP for what a tool does not say; a tool that only reads destroys nothing.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#toolannotations
 */
export class RuleAnnotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean

  constructor(annotations: unknown) {
    const said = (typeof annotations === 'object' && annotations !== null ? annotations : {}) as Said
    this.readOnlyHint = said.readOnlyHint === true
    this.destructiveHint = !this.readOnlyHint && said.destructiveHint !== false
    this.idempotentHint = said.idempotentHint === true
    this.openWorldHint = said.openWorldHint !== false
  }
}

type Said = Partial<Record<'readOnlyHint' | 'destructiveHint' | 'idempotentHint' | 'openWorldHint', unknown>>
