import { expect, test } from 'vitest'
import { CompositeForm, readTemplate, showTemplate, startDraft } from './composite-draft.ts'

const issuesOf = (value: unknown) =>
  CompositeForm.safeParse(value).error?.issues.map(({ path, message }) => [path.join('.'), message])

test('what is missing in a new composite is told at its field', () => {
  const { definition } = startDraft('aggregate')
  expect(issuesOf({ kind: 'aggregate', definition })?.map(([path]) => path)).toEqual([
    'definition.name',
    'definition.description',
    'definition.operations.0.value',
    'definition.operations.0.downstreamTool',
  ])
})

test('a step is held against the alternative that was meant', () => {
  const steps = [{ id: '1st', tool: 'read' }, { parallel: [{ id: 'a' }] }]
  const definition = { name: 'p', description: 'd', steps }
  expect(issuesOf({ kind: 'pipeline', definition })).toEqual([
    ['definition.steps.0.id', expect.stringContaining('begins with a letter')],
    ['definition.steps.1.parallel.0.tool', 'This is missing.'],
  ])
})

test('a value survives being shown in one line', () => {
  for (const value of ['plain', '{{ input.path }}', '5', 5, true, null, ['a'], { a: 1 }, '{ not json'])
    expect(readTemplate(showTemplate(value))).toEqual(value)
})
