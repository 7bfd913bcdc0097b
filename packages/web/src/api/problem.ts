/** What the hub says when it cannot do something; the message names the next step. */
export class ApiProblem extends Error {
  readonly status: number
  readonly code: string
  /** What is wrong with which field: `env.0.name`. */
  readonly issues: readonly { readonly path: string; readonly message: string }[]

  constructor(status: number, code: string, message: string, issues: ApiProblem['issues'] = []) {
    super(message)
    this.status = status
    this.code = code
    this.issues = issues
  }
}

/** Nobody answers at the hub's address. */
export class HubAway extends Error {}
