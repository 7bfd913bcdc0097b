import { HubError } from '@herma/contract'

/** The test frameworks that we know, in the order in which one is chosen when several are equally likely. */
export const frameworks = ['vitest', 'jest', 'node', 'pytest', 'go', 'cargo', 'mix', 'maven'] as const

export type Framework = (typeof frameworks)[number]

/** Reads what people and models call a framework: `node:test`, `go test`, `cargo`, `mvn`. */
export function toFramework(text: string): Framework {
  const word = text
    .trim()
    .toLowerCase()
    .replace(/[\s:_-]*test$/, '')
  const known = frameworks.find((framework) => framework === (aliases[word] ?? word))
  if (known !== undefined) return known
  throw new HubError(
    'INVALID_PARAMS',
    `There is no test framework '${text.slice(0, 100)}'. Choose one of ${frameworks.join(', ')}, or leave it out.`,
  )
}

// `py` and `vi` are what is left of `pytest` and `vitest` without their end.
const aliases: Readonly<Record<string, Framework>> = {
  py: 'pytest',
  vi: 'vitest',
  mvn: 'maven',
  golang: 'go',
  elixir: 'mix',
  rust: 'cargo',
}
