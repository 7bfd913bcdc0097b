export { AddressLimiter } from './address-limiter.ts'
export { type LimitRefusal, PrincipalLimiter, type CallPermit } from './principal-limiter.ts'
