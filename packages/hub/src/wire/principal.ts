import type { Principal } from '@herma/contract'

/** The id of the local operator. */
export const localOperator = 'operator'

/** Whoever may read the operator's token, or reaches an open server from this machine. */
export const operator: Principal = {
  id: localOperator,
  kind: 'operator',
  name: 'operator',
  role: 'owner',
  scopes: null,
  servers: null,
}
