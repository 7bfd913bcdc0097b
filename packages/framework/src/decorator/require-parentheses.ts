import { ConfigError } from '../protocol/errors.ts'

/** Finds `@tool` where `@tool()` was meant: the decorator is then given the method as its definition. */
export function requireParentheses(decorator: 'tool' | 'prompt', definition: unknown): void {
  if (typeof definition !== 'function') return
  throw new ConfigError(
    `@${decorator} stands before ${definition.name} without parentheses.`,
    `Write @${decorator}({ … }), or @${decorator}.auto() with herma-gen.`,
  )
}
