/** What a principal may do, from everything to looking. */
export type Role = 'owner' | 'admin' | 'member' | 'viewer'

/** Who is asking. */
export interface Principal {
  /** `operator`, `user:NAME`, `key:NAME` or `client:ID`: what is kept for one principal never reaches another. */
  readonly id: string
  /** `operator` = whoever owns this machine's hub; `client` = an OAuth client that acts for nobody known here. */
  readonly kind: 'operator' | 'user' | 'key' | 'client'
  /** For people; never a secret. */
  readonly name: string
  readonly role: Role
  /** Scopes of the key or token; null when nothing narrows what the role may do. */
  readonly scopes: readonly string[] | null
  /** Served servers that a key or token is for; null for all. */
  readonly servers: readonly string[] | null
  /** The OAuth client through which the principal asks. */
  readonly clientId?: string
}

/** The id of the local operator. */
export const localOperator = 'operator'

/** Whoever may read the operator's token, or reaches an open server over the loopback listener. */
export const operator: Principal = {
  id: localOperator,
  kind: 'operator',
  name: 'operator',
  role: 'owner',
  scopes: null,
  servers: null,
}
