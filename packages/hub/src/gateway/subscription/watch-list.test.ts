import { beforeEach, describe, expect, test } from 'vitest'
import { modernCaller } from '../testing/test-exchange.ts'
import { WatchList } from './watch-list.ts'

const [ada, grace] = ['ada', 'grace'].map((connectionId) => ({ ...modernCaller, connectionId }))

let owners: Record<string, string | null>
let told: string[]
let list: WatchList

beforeEach(() => {
  owners = { x: 'one' }
  told = []
  list = new WatchList({
    hostOf: ({ server }) => (server === 'alone' ? 'two' : null),
    ownerOf: (uri) => owners[uri] ?? null,
    downstream: (id) => ({
      subscribe: (uri, { connectionId }) => void told.push(`${id} +${uri} ${connectionId}`),
      unsubscribe: (uri, { connectionId }) => void told.push(`${id} -${uri} ${connectionId}`),
    }),
  })
})

describe('a watched resource', () => {
  test('is reported by the server that has it', () => {
    list.add('x', ada!)
    list.add('x', grace!)
    list.remove('x', ada!)
    list.remove('x', ada!)
    list.remove('unknown', ada!)
    expect(told).toEqual(['one +x ada', 'one +x grace', 'one -x ada'])
  })

  test('moves to another server with all that watch it', () => {
    list.add('x', ada!)
    list.add('x', grace!)
    owners['x'] = 'two'
    list.reassign()
    expect(told.splice(2)).toEqual(['one -x ada', 'one -x grace', 'two +x ada', 'two +x grace'])
    list.remove('x', ada!)
    expect(told.at(-1)).toBe('two -x ada')
  })

  test('stays with a server that is away for a moment', () => {
    list.add('x', ada!)
    owners['x'] = null
    list.reassign()
    owners['x'] = 'one'
    list.reassign()
    expect(told).toEqual(['one +x ada'])
  })

  test('that nobody has yet is asked for when somebody has it', () => {
    list.add('y', ada!)
    expect(told).toEqual([])
    owners['y'] = 'two'
    list.reassign()
    list.reassign()
    expect(told).toEqual(['two +y ada'])
  })

  test('that nobody watches any more is forgotten', () => {
    list.add('x', ada!)
    list.remove('x', ada!)
    owners['x'] = 'two'
    list.add('x', grace!)
    expect(told).toEqual(['one +x ada', 'one -x ada', 'two +x grace'])
  })

  test('of a server that hosts one connector is watched there, whoever else has the URI', () => {
    const guest = { ...ada!, server: 'alone' }
    list.add('x', ada!)
    list.add('x', guest)
    owners['x'] = 'three'
    list.reassign()
    list.remove('x', guest)
    expect(told).toEqual(['one +x ada', 'two +x ada', 'one -x ada', 'three +x ada', 'two -x ada'])
  })
})
