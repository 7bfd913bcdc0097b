export { type LimitRefusal, PrincipalLimiter, type CallPermit } from './principal-limiter.ts'
