import { compileGlob } from '@herma/contract'

/**
 * Clients that get other schemas than their server wrote, by the names that they give themselves. Everybody else gets
 * the server's, and whoever refuses those would refuse them without the hub too.
 */
export const adaptedClients = {
  /** They drop tools whose schemas have type arrays or references. */
  strict: ['codex*', 'openai*', 'chatgpt*', 'gemini*'],
  /**
   * They are made with version 1 of the TypeScript SDK, which refuses a whole list for one tool with `true` or `false`
   * as the schema of a property, or with an output schema that is not said to be an object.
   */
  plain: [
    'claude-ai*',
    'claude-code*',
    'cline*',
    'continue*',
    'cursor*',
    'inspector*',
    'kilo*',
    'librechat*',
    '@librechat*',
    'mcp-inspector*',
    'mcp-remote*',
    'opencode*',
    'roo*',
  ],
} as const

const [strict, plain] = [adaptedClients.strict, adaptedClients.plain].map((globs) => globs.map(compileGlob))

/** Of a name in lower case. */
export const isStrictClient = (client: string) => strict!.some((fits) => fits(client))
export const isPlainClient = (client: string) => plain!.some((fits) => fits(client))
