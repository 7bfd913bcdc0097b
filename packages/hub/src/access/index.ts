export { openAccess, type OpenAccess } from './open-access.ts'
export type { Admission, Entrance, Refusal } from './admission.ts'
export { requireOwner } from './policy/index.ts'
export { isLoopbackName } from './host-guard.ts'
