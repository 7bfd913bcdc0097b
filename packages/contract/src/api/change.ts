import type { ApiOperation } from './operation.ts'

export const changeOperations = {
  followChanges: {
    method: 'GET',
    path: '/api/changes',
    summary:
      'Which topics have changed, as it happens: server-sent events hello, then change of the form ChangeNotice.',
    responses: { 200: { description: 'A stream (text/event-stream).' } },
  },
} as const satisfies Record<string, ApiOperation>
