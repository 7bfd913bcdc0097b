// What needs no schema, for programs that must start at once: the command line reads it in a tenth of the time of the rest.
export { errorCodes, HubError, type ErrorCode } from './errors.ts'
export { findSecrets, type SecretPlaces } from './secret/find-secrets.ts'
export { connectSnippets, type ConnectSnippet, type SnippetOptions } from './server/connect-snippets.ts'
export { keySecretOf } from './session/key-secret.ts'
export { isQuoteOpen, quoteWord, splitWords } from './shell-words.ts'
