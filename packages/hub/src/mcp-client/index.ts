export { askModern, type ModernAnswer, type ModernRequest } from './ask-modern.ts'
export { modernHeaders } from './modern-headers.ts'
export {
  isStream,
  readBody,
  readStream,
  runExchange,
  type McpExchange,
  type Outcome,
  type SendRequest,
} from './run-exchange.ts'
