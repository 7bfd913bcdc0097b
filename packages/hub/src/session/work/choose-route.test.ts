import { RouteRule } from '@herma/contract'
import { expect, test } from 'vitest'
import { chooseRoute, type RouteQuestion } from './choose-route.ts'

const search = { connector: 'brave', tool: 'web_search', arguments: { q: '{input}' } }
const rule = (abilities: string[], use: unknown, contains: string[] = []) =>
  RouteRule.parse({ abilities, use, contains })

interface Case {
  readonly name: string
  readonly ask: Partial<RouteQuestion> & {
    readonly rules?: ReturnType<typeof rule>[]
    readonly provider?: 'openai' | 'mcp'
  }
  readonly expected: string
}

const cases: Case[] = [
  { name: 'without rules the model works', ask: {}, expected: 'openai: there are no rules' },
  {
    name: 'a rule for something else does not fit',
    ask: { rules: [rule(['plan.task'], search)] },
    expected: 'openai: no rule fits',
  },
  {
    name: 'a rule without words always fits',
    ask: { ability: 'search.web', rules: [rule(['search.web'], search)] },
    expected: 'mcp:brave: rule 1 speaks of search.web',
  },
  {
    name: 'one of the words has to be there, in any case of letters',
    ask: { text: 'What does the NEWS say?', rules: [rule(['chat'], search, ['weather', 'news'])] },
    expected: "mcp:brave: rule 1 speaks of chat with 'news'",
  },
  {
    name: 'a word inside of another one is none',
    ask: { text: 'the latest', rules: [rule(['chat'], search, ['test'])] },
    expected: 'openai: no rule fits',
  },
  {
    name: 'a word that occurs inside of another one first, and then by itself, is there',
    ask: { text: 'contest and test', rules: [rule(['chat'], search, ['test'])] },
    expected: "mcp:brave: rule 1 speaks of chat with 'test'",
  },
  {
    name: 'letters of other alphabets make words too',
    ask: { text: 'Überprüfung', rules: [rule(['chat'], search, ['prüf'])] },
    expected: 'openai: no rule fits',
  },
  {
    name: 'signs need no space around them',
    ask: { text: 'write c++17', rules: [rule(['chat'], search, ['c++'])] },
    expected: "mcp:brave: rule 1 speaks of chat with 'c++'",
  },
  {
    name: 'the first rule that fits decides, also for the model',
    ask: { text: 'news', rules: [rule(['chat'], 'model', ['news']), rule(['chat'], search)] },
    expected: "openai: rule 1 speaks of chat with 'news'",
  },
  {
    name: 'the second rule is asked when the first does not fit',
    ask: { text: 'other', rules: [rule(['chat'], 'model', ['news']), rule(['chat'], search)] },
    expected: 'mcp:brave: rule 2 speaks of chat',
  },
  {
    name: 'what needs no model is done by the hub',
    ask: { ability: 'tests.run', isOwn: true },
    expected: 'own: there are no rules, and tests.run needs no model',
  },
  {
    name: 'a rule sends also that elsewhere',
    ask: { ability: 'search.code', isOwn: true, rules: [rule(['search.code'], search)] },
    expected: 'mcp:brave: rule 1 speaks of search.code',
  },
  {
    name: 'a session without a model does what needs none',
    ask: { ability: 'tests.run', isOwn: true, provider: 'mcp', rules: [rule(['plan.task'], search)] },
    expected: 'own: no rule fits, and tests.run needs no model',
  },
  {
    name: 'a tool that suggests itself answers where no rule fits',
    ask: { ability: 'search.web', otherwise: { use: search, because: 'it looks like a search' } },
    expected: 'mcp:brave: there are no rules; it looks like a search',
  },
  {
    name: 'a rule for the model comes before a tool that suggests itself',
    ask: {
      ability: 'search.web',
      rules: [rule(['search.web'], 'model')],
      otherwise: { use: search, because: 'it looks like a search' },
    },
    expected: 'openai: rule 1 speaks of search.web',
  },
]

const routeOf = (connector: string) => `mcp:${connector}`

test.each(cases)('$name', ({ ask: { rules = [], provider = 'openai', ...ask }, expected }) => {
  const session = { name: 'ada', provider, routes: rules }
  const { route, because } = chooseRoute({ session, ability: 'chat', text: 'hello', isOwn: false, routeOf, ...ask })
  expect(`${route}: ${because}`).toBe(expected)
})

test('a session without a model says what it lacks when no rule fits', () => {
  const session = { name: 'ada', provider: 'mcp' as const, routes: [rule(['plan.task'], search)] }
  const choose = () => chooseRoute({ session, ability: 'code.advice', text: 'x', isOwn: false, routeOf })
  expect(choose).toThrow(
    "'ada' has no model, and no rule fits. Add a rule for code.advice to its routes that uses a tool.",
  )
})
