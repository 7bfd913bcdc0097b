import { expect, test } from 'vitest'
import { Counter, Histogram } from './histogram.ts'
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

test('a histogram is shown with buckets that hold those before them, its sum and its count', () => {
  const calls = new Histogram({ name: 'wait_seconds', help: 'Waits.', labels: ['server'], bounds: [0.1, 1] })
  for (const seconds of [0.05, 0.1, 0.5, 7]) calls.observe(seconds, 'facade')
  expect(renderMetrics([calls.metric])).toBe(
    '# HELP herma_wait_seconds Waits.\n# TYPE herma_wait_seconds histogram\n' +
      'herma_wait_seconds_bucket{server="facade",le="0.1"} 2\n' +
      'herma_wait_seconds_bucket{server="facade",le="1"} 3\n' +
      'herma_wait_seconds_bucket{server="facade",le="+Inf"} 4\n' +
      'herma_wait_seconds_sum{server="facade"} 7.65\nherma_wait_seconds_count{server="facade"} 4\n',
  )
})

test('label sets beyond the limit are counted together', () => {
  const calls = new Counter({ name: 'calls_total', help: 'Calls.', labels: ['tool', 'outcome'], maxSets: 2 })
  for (const tool of ['a', 'b', 'c', 'd', 'a']) calls.add(1, tool, 'ok')
  expect(calls.metric.read()).toEqual([
    { labels: { tool: 'a', outcome: 'ok' }, value: 2 },
    { labels: { tool: 'b', outcome: 'ok' }, value: 1 },
    { labels: { tool: 'other', outcome: 'other' }, value: 2 },
  ])
})
