import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { Context } from '../context/context.ts'
import { ConfigError } from '../protocol/errors.ts'
import { componentsOf, type Declared } from './components-of.ts'
import { prompt } from './prompt.ts'
import { resource } from './resource.ts'
import { tool } from './tool.ts'

// Handlers get whatever context the server makes; these tests only look whether it arrives.
const context = { method: 'tools/call' } as Context & { uri: URL }
const Sum = z.object({ a: z.number(), b: z.number() })

class Notes {
  #calls = 0
  constructor(private readonly owner: string) {}

  @tool({ description: 'Adds.', input: Sum }) add({ a, b }: { a: number; b: number }, given: Context) {
    this.#calls++
    return `${this.owner} ${a + b} ${given.method}`
  }
  @tool({ name: 'how-often' }) count(given: Context) {
    return `${this.#calls} ${given.method}`
  }
  @resource('note://{id}', { mimeType: 'text/plain' }) one({ id }: { id: string }) {
    return `${this.owner}: ${id}`
  }
  @prompt({ args: z.object({ topic: z.string() }) }) review({ topic }: { topic: string }) {
    return `Review ${topic} for ${this.owner}.`
  }
  @prompt() hello(given: Context) {
    return `Hello from ${given.method}.`
  }
  shout = tool({ input: z.object({ text: z.string() }) }, ({ text }) => `${this.owner}: ${text.toUpperCase()}`)
  all = resource('note://all', {}, () => `calls=${this.#calls}`)
  thanks = prompt({ name: 'thank-you' }, (given) => `Thanks, ${given.method}.`)
}

function find(instance: object, name: string): Declared {
  const found = componentsOf(instance).find((component) => component.name === name)
  if (found === undefined) throw new Error(`There is no component '${name}'.`)
  return found
}

function run(instance: object, name: string, args: object = {}): unknown {
  const { handler } = find(instance, name)
  return (handler as (args: object, context: Context) => unknown)(args, context)
}

describe('a decorated instance', () => {
  test('declares its methods, then its fields, by their names or those of their definitions', () => {
    const declared = componentsOf(new Notes('ana')).map(({ kind, name }) => `${kind} ${name}`)
    expect(declared).toEqual([
      'tool add',
      'tool how-often',
      'resource one',
      'prompt review',
      'prompt hello',
      'tool shout',
      'resource all',
      'prompt thank-you',
    ])
    expect(find(new Notes('ana'), 'one')).toMatchObject({
      uri: 'note://{id}',
      definition: { name: 'one', mimeType: 'text/plain' },
    })
  })

  test('runs its methods on itself, private fields included', () => {
    const [ana, bob] = [new Notes('ana'), new Notes('bob')]
    expect(run(ana, 'add', { a: 1, b: 2 })).toBe('ana 3 tools/call')
    expect(run(bob, 'add', { a: 1, b: 2 })).toBe('bob 3 tools/call')
    expect(run(ana, 'add', { a: 1, b: 2 })).toBe('ana 3 tools/call')
    expect(run(ana, 'how-often')).toBe('2 tools/call')
    expect(run(bob, 'all')).toBe('calls=1')
    expect(run(ana, 'one', { id: '7' })).toBe('ana: 7')
    expect(run(ana, 'review', { topic: 'x' })).toBe('Review x for ana.')
    expect(run(bob, 'shout', { text: 'hi' })).toBe('bob: HI')
  })

  test('gives a method without a schema the context alone', () => {
    expect(run(new Notes('ana'), 'hello', { ignored: 1 })).toBe('Hello from tools/call.')
    expect(run(new Notes('ana'), 'thank-you')).toBe('Thanks, tools/call.')
  })
})

describe('a class that extends a decorated one', () => {
  class More extends Notes {
    @tool() extra() {
      return 'extra'
    }
    override count() {
      return 'overridden'
    }
    @tool({ description: 'Adds in another way.', input: Sum }) override add({ a, b }: { a: number; b: number }) {
      return String(a * b)
    }
    override shout = tool({ input: z.object({ text: z.string() }) }, ({ text }) => text.toLowerCase())
  }

  test('keeps what its parent declares and adds its own', () => {
    const names = componentsOf(new More('ana')).map(({ name }) => name)
    expect(names.toSorted()).toEqual(
      ['add', 'all', 'extra', 'hello', 'how-often', 'one', 'review', 'shout', 'thank-you'].toSorted(),
    )
    expect(componentsOf(new Notes('ana')).map(({ name }) => name)).not.toContain('extra')
  })

  test('runs its overriding methods, with the declaration of the parent where it has none', () => {
    const more = new More('ana')
    expect(run(more, 'how-often')).toBe('overridden')
    expect(run(more, 'add', { a: 3, b: 4 })).toBe('12')
    expect(find(more, 'add').definition.description).toBe('Adds in another way.')
    expect(run(more, 'shout', { text: 'Hi' })).toBe('hi')
  })

  test('lets a field take the place of a method', () => {
    class Base {
      @tool() say() {
        return 'method'
      }
    }
    class Field extends Base {}
    const instance = Object.assign(new Field(), { say: tool({ description: 'As a field.' }, () => 'field') })
    expect(componentsOf(instance)).toHaveLength(1)
    expect(run(instance, 'say')).toBe('field')
  })
})

describe('mistakes are refused with the next step', () => {
  test('a static method', () => {
    expect(() => {
      class _Static {
        kept = true
        // @ts-expect-error: the compiler refuses it too.
        @tool() static add() {
          return ''
        }
      }
    }).toThrow("The static method 'add' has @tool, but instances are served. Remove 'static'.")
  })

  test('a static field', () => {
    class Static {
      kept = true
      static readonly add = tool({}, () => '')
    }
    expect(() => componentsOf(new Static())).toThrow('The static field Static.add is a tool')
  })

  test('a private method, a field and a class', () => {
    const decorate = tool() as unknown as (value: unknown, decorator: object) => void
    const metadata = {}
    expect(() => decorate(() => 1, { kind: 'method', name: '#add', static: false, private: true, metadata })).toThrow(
      "The private method '#add' has @tool",
    )
    expect(() => decorate(undefined, { kind: 'field', name: 'add', metadata })).toThrow(
      "@tool is on the field 'add', but it is for methods.",
    )
    expect(() => decorate(undefined, { kind: 'class', name: 'Add', metadata })).toThrow(ConfigError)
  })

  test('a compiler without decorator metadata', () => {
    const decorate = tool() as unknown as (value: unknown, decorator: object) => void
    expect(() => decorate(() => 1, { kind: 'method', name: 'add', static: false, private: false })).toThrow(
      "The class of 'add' was made without decorator metadata.",
    )
  })

  test('two tools of one name', () => {
    class Twins {
      @tool() add() {
        return ''
      }
      @tool({ name: 'add' }) other() {
        return ''
      }
    }
    expect(() => componentsOf(new Twins())).toThrow("Twins declares the tool 'add' twice.")
  })

  test('two resources of one URI, while a tool and a prompt may share a name', () => {
    class Shared {
      @tool() review() {
        return ''
      }
      @prompt({ name: 'review' }) asPrompt() {
        return ''
      }
    }
    class Twins {
      @resource('note://a') one() {
        return ''
      }
      @resource('note://a') two() {
        return ''
      }
    }
    expect(componentsOf(new Shared())).toHaveLength(2)
    expect(() => componentsOf(new Twins())).toThrow("Twins declares the resource 'note://a' twice.")
  })

  test('a class in place of an instance, and an object that declares nothing', () => {
    expect(() => componentsOf(Notes)).toThrow('Notes is a class or a function. Add an instance: new Notes(…).')
    expect(() => componentsOf({ add: () => 1 })).toThrow('The object declares no tool, resource or prompt.')
  })

  test('a symbol for a name', () => {
    const key = Symbol('key')
    class Symbolic {
      @tool() [key]() {
        return ''
      }
    }
    expect(() => componentsOf(new Symbolic())).toThrow('A tool of Symbolic has a symbol for its name.')
  })

  test('a method that the instance replaced by something else', () => {
    const notes = Object.assign(new Notes('ana'), { add: 1 })
    expect(() => componentsOf(notes)).toThrow(
      "'add' of Notes was declared with @tool, but in this instance it is no method.",
    )
  })
})
