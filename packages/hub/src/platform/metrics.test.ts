import { expect, test } from 'vitest'
import { renderMetrics } from './metrics.ts'

test('a figure is shown with its help, its kind and its value', () => {
  const metric = { name: 'connections', help: 'Clients.', kind: 'gauge', read: () => 3 } as const
  expect(renderMetrics([metric])).toBe(
    '# HELP herma_connections Clients.\n# TYPE herma_connections gauge\nherma_connections 3\n',
  )
})

test('labels are escaped', () => {
  const read = () => [{ labels: { connector: 'a"b\\c\nd' }, value: 1 }]
  const text = renderMetrics([{ name: 'calls_total', help: 'Calls.', kind: 'counter', read }])
  expect(text).toContain('herma_calls_total{connector="a\\"b\\\\c\\nd"} 1\n')
})
