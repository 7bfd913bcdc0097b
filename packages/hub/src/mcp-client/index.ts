export { askModern, type ModernAnswer, type ModernRequest } from './ask-modern.ts'
export { modernHeaders } from './modern-headers.ts'
export {
  isStream,
  readAnswerBody,
  readStream,
  runExchange,
  type McpExchange,
  type ExchangeOutcome,
  type SendRequest,
} from './run-exchange.ts'
