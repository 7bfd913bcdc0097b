export { Redactor } from './redactor.ts'
export { openSealer, type Sealer } from './sealer.ts'
export { isSecretName } from './secret-name.ts'
export type { TokenSealer } from './token-sealer.ts'
