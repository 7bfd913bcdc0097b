export { type LimitRefusal, PrincipalLimiter, type Turn } from './principal-limiter.ts'
