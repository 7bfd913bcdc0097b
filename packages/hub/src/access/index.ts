export { isLoopbackName, LoopbackGuard } from './loopback-guard.ts'
