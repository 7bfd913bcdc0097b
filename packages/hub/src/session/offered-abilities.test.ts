import { SessionInput, type Ability } from '@herma/contract'
import { expect, test } from 'vitest'
import { findSearchTool, offeredAbilities, type AbilityFacts } from './offered-abilities.ts'

const thinks: Ability[] = ['code.advice', 'plan.task', 'review.changes']
const reads: Ability[] = ['tests.run', 'search.code']
const works: Ability[] = ['code.advice', 'code.generate', 'tests.generate', ...reads, 'plan.task', 'review.changes']
const folder = { workingDir: '/work' }
const toTool = (...abilities: Ability[]) => ({ routes: [{ abilities, use: { connector: 'web', tool: 'find' } }] })

test.each<[string, Partial<SessionInput>, Partial<AbilityFacts>, Ability[]]>([
  ['a model without files thinks', { provider: 'openai' }, {}, thinks],
  ['a model with a folder works', { provider: 'anthropic', ...folder }, {}, works],
  ['allowed roots are a workspace too', { provider: 'google', paths: { roots: ['/a'] } }, {}, works],
  ['a local model is a model', { provider: 'openai-compatible', ...folder }, {}, works],
  ['and so is that of the client', { provider: 'sampling' }, {}, thinks],
  ['a team gives a folder', { provider: 'openai' }, { hasPlace: true }, works],
  ['a command searches the web, too', { provider: 'command' }, {}, ['code.advice', 'search.web', ...thinks.slice(1)]],
  [
    'a bound search tool searches',
    { provider: 'openai' },
    { boundTools: ['get', 'brave_web_search'] },
    ['code.advice', 'search.web', ...thinks.slice(1)],
  ],
  [
    'a route to a tool is an ability',
    { provider: 'openai', ...toTool('search.web') },
    {},
    ['code.advice', 'search.web', ...thinks.slice(1)],
  ],
  [
    'a route to the model is none',
    { provider: 'openai', routes: [{ abilities: ['search.web'], use: 'model' }] },
    {},
    thinks,
  ],
  ['without a model routes are all', { provider: 'mcp', ...toTool('code.generate') }, {}, ['code.generate']],
  ['but files need no model', { provider: 'mcp', ...folder, ...toTool('plan.task') }, {}, [...reads, 'plan.task']],
  ['abilities narrow', { provider: 'openai', ...folder, abilities: ['plan.task', 'search.web'] }, {}, ['plan.task']],
  ['down to nothing', { provider: 'openai', abilities: [] }, {}, []],
])('%s', (_name, input, facts, expected) => {
  const session = SessionInput.parse({ name: 'coder', ...input })
  const offered = offeredAbilities(session, { boundTools: [], ...facts })
  expect(offered.toSorted()).toEqual(expected.toSorted())
})

test('of several search tools the one that is surely of the web is taken, by its own spelling', () => {
  expect(findSearchTool(['search', 'Tavily-Search', 'web_search_exa'])).toBe('web_search_exa')
  expect(findSearchTool(['search', 'research'])).toBe('search')
  expect(findSearchTool(['search_issues', 'web'])).toBeUndefined()
})
