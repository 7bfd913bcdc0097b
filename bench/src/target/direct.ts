import { totalTools, type Target } from './target.ts'

/** No gateway at all: the load client talks to the test servers. */
export const direct: Target = {
  name: 'direct',
  kind: 'reference',
  note: 'the load client calls the test servers itself',
  dialects: { legacy: 'legacy', modern: 'modern' },
  isBlind: true,
  refuses: () => null,
  start: (fleet) =>
    Promise.resolve({
      endpoints: fleet.whole ? [fleet.whole] : fleet.connectors.map((connector) => connector.endpoint),
      toolCount: fleet.whole ? totalTools(fleet) : fleet.toolsEach,
      processId: null,
      stop: () => Promise.resolve(),
    }),
}
