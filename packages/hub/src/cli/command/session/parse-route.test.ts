import { RouteRule } from '@herma/contract'
import { expect, test } from 'vitest'
import { CliError } from '../../terminal/exit-codes.ts'
import { parseRoute } from './parse-route.ts'

test.each([
  [
    'search.web=brave.search(query={query})',
    { abilities: ['search.web'], use: { connector: 'brave', tool: 'search', arguments: { query: '{query}' } } },
  ],
  [
    'chat, plan.task:weather|heavy rain = sky.forecast.daily( place = {input}, days=3, units={"t": "c", "w": [1, 2]}, note="a, b" )',
    {
      abilities: ['chat', 'plan.task'],
      contains: ['weather', 'heavy rain'],
      use: {
        connector: 'sky',
        tool: 'forecast.daily',
        arguments: { place: '{input}', days: 3, units: { t: 'c', w: [1, 2] }, note: 'a, b' },
      },
    },
  ],
  ['code.advice=model', { abilities: ['code.advice'], use: 'model' }],
  ['chat=clock.now', { abilities: ['chat'], use: { connector: 'clock', tool: 'now', arguments: {} } }],
  [
    '{"abilities": ["chat"], "contains": ["a=b"], "use": "model"}',
    { abilities: ['chat'], contains: ['a=b'], use: 'model' },
  ],
])('%s is read', (text, expected) => {
  const route = parseRoute(text)
  expect(route).toMatchObject(expected)
  expect(RouteRule.parse(route)).toEqual(route)
})

test.each([
  ['search.web', 'It has no ='],
  ['search.web=brave', "'brave' is neither model nor a tool"],
  ['search.web=brave.search(query)', "'query' is no NAME=VALUE"],
  ['{"abilities": ', '--route must be JSON'],
])('%s is refused with the form that it should have', (text, why) => {
  expect(() => parseRoute(text)).toThrow(CliError)
  expect(() => parseRoute(text)).toThrow(why)
})
