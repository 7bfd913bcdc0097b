import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import type { Context } from '../context/context.ts'
import { generated } from './generated.ts'
import { prompt } from './prompt.ts'
import { resource } from './resource.ts'
import { tool } from './tool.ts'
import type { ToolsIn } from './tools-in.ts'

// What the compiler promises to authors. The gate runs tsc over this file: a promise that it no longer keeps is an
// unused `@ts-expect-error` or a failing `expectTypeOf`. The classes are never made, so that nothing here runs.

const Input = z.object({ n: z.number() })
const Output = z.object({ ok: z.boolean() })

describe('a decorated tool', () => {
  test('accepts a method that fits its schemas', () => {
    const never = () => {
      class _Fits {
        #count = 0
        @tool() noDefinition() {
          return 'text'
        }
        @tool({ description: 'only the context' }) contextOnly(context: Context) {
          return context.method
        }
        @tool({ input: Input }) input({ n }: { n: number }) {
          return String(n + this.#count)
        }
        @tool({ input: Input }) fewerParameters() {
          return 1
        }
        @tool({ input: Input }) state({ n }: { n: number }, context: Context<{ total: number }>) {
          return context.state.update((state) => ({ total: state.total + n }))
        }
        @tool({ input: Input, output: Output }) async output({ n }: { n: number }) {
          return { ok: n > 1 }
        }
        @tool({ input: z.object({ text: z.string().transform((text) => text.length) }) })
        transformed({ text }: { text: number }) {
          return text
        }
        @tool({ input: type({ name: 'string', 'times?': 'number' }) })
        arktype({ name, times }: { name: string; times?: number }) {
          return name.repeat(times ?? 1)
        }
        @tool({ input: toStandardJsonSchema(v.object({ name: v.string() })) }) valibot({ name }: { name: string }) {
          return name
        }
      }
    }
    expectTypeOf(never).toBeFunction()
  })

  test('refuses arguments and results that its schemas do not promise', () => {
    const never = () => {
      class _Wrong {
        // @ts-expect-error: the argument is a number.
        @tool({ input: Input }) type(args: { n: string }) {
          return args.n
        }
        // @ts-expect-error: the schema has no 'more'.
        @tool({ input: Input }) more(args: { n: number; more: string }) {
          return args.more
        }
        // @ts-expect-error: without an input schema there are no arguments.
        @tool() none(args: { n: number }) {
          return args.n
        }
        // @ts-expect-error: the output has a boolean.
        @tool({ input: Input, output: Output }) result(_args: { n: number }) {
          return { ok: 'yes' }
        }
        // @ts-expect-error: the output has to be there.
        @tool({ output: Output }) nothing() {}
        // @ts-expect-error: the same with a promise.
        @tool({ output: Output }) async later() {
          return { ok: 1 }
        }
        // @ts-expect-error: a function is nothing that can be sent.
        @tool() unsendable() {
          return () => 1
        }
        // @ts-expect-error: arktype's argument is a string.
        @tool({ input: type({ name: 'string' }) }) arktype(args: { name: number }) {
          return args.name
        }
        // @ts-expect-error: valibot's argument is a string.
        @tool({ input: toStandardJsonSchema(v.object({ name: v.string() })) }) valibot(args: { name: number }) {
          return args.name
        }
        // @ts-expect-error: valibot by itself cannot write JSON Schema.
        @tool({ input: v.object({ name: v.string() }) }) withoutAdapter(args: { name: string }) {
          return args.name
        }
        // @ts-expect-error: the third parameter is given by nobody.
        @tool({ input: Input }) three(args: { n: number }, _context: Context, more: string) {
          return args.n + more
        }
        // @ts-expect-error: there is no such hint.
        @tool({ annotations: { readonlyHint: true } }) hint() {
          return ''
        }
      }
    }
    expectTypeOf(never).toBeFunction()
  })

  test('refuses what is no public method of an instance', () => {
    const never = () => {
      class _Misplaced {
        // @ts-expect-error: instances are served.
        @tool() static fixed() {
          return ''
        }
        // @ts-expect-error: clients are to call it.
        @tool() #hidden() {
          return ''
        }
        // @ts-expect-error: a getter is no method.
        @tool() get value() {
          return ''
        }
        // @ts-expect-error: fields have a form of their own.
        @tool() field = () => ''
        use() {
          return this.#hidden()
        }
      }
      // @ts-expect-error: a class is no method.
      @tool()
      class _Class {
        empty = true
      }
    }
    expectTypeOf(never).toBeFunction()
  })
})

describe('a tool as a field', () => {
  test('infers arguments and context from its schemas', () => {
    class Inferred {
      add = tool({ input: z.object({ a: z.number(), b: z.number().default(1) }), output: Output }, (args, context) => {
        expectTypeOf(args).toEqualTypeOf<{ a: number; b: number }>()
        expectTypeOf(context).toExtend<Context>()
        return { ok: args.a > args.b }
      })
      ask = tool({ description: 'no input' }, (context) => {
        expectTypeOf(context).toExtend<Context>()
        return context.method
      })
      // @ts-expect-error: the result does not fit the output schema.
      wrong = tool({ output: Output }, () => ({ ok: 1 }))
    }
    expectTypeOf<Inferred>().toHaveProperty('add')
  })
})

describe('a decorated resource', () => {
  test('has the variables of its template', () => {
    const never = () => {
      class _Resources {
        @resource('note://all', { mimeType: 'text/plain' }) all() {
          return 'all'
        }
        @resource('note://{folder}/{+path}') one({ folder, path }: { folder: string; path: string }) {
          return folder + path
        }
        @resource('note://{id}') context(_variables: object, context: Context & { uri: URL }) {
          return context.uri.href
        }
        // @ts-expect-error: the template calls it 'id'.
        @resource('note://{id}') misnamed({ name }: { name: string }) {
          return name
        }
        // @ts-expect-error: variables are strings.
        @resource('note://{id}') number({ id }: { id: number }) {
          return String(id)
        }
        // @ts-expect-error: a number is no content.
        @resource('note://{id}') content() {
          return 1
        }
        // @ts-expect-error: instances are served.
        @resource('note://static') static fixed() {
          return ''
        }
        inferred = resource('note://{id}{?page}', {}, (variables, context) => {
          expectTypeOf(variables.id).toEqualTypeOf<string>()
          expectTypeOf(variables.page).toEqualTypeOf<string | undefined>()
          expectTypeOf(context.uri).toEqualTypeOf<URL>()
          // @ts-expect-error: the template has no such variable.
          return variables.other
        })
      }
    }
    expectTypeOf(never).toBeFunction()
  })
})

describe('a decorated prompt', () => {
  test('has the arguments of its schema', () => {
    const args = z.object({ topic: z.string() })
    const never = () => {
      class _Prompts {
        @prompt() plain() {
          return 'Say hello.'
        }
        @prompt({ args }) review({ topic }: { topic: string }, context: Context) {
          return `${topic} ${context.method}`
        }
        // @ts-expect-error: the topic is a string.
        @prompt({ args }) wrong({ topic }: { topic: number }) {
          return String(topic)
        }
        // @ts-expect-error: a prompt is text or messages.
        @prompt() result() {
          return 1
        }
        inferred = prompt({ args }, ({ topic }) => {
          expectTypeOf(topic).toEqualTypeOf<string>()
          return topic
        })
      }
    }
    expectTypeOf(never).toBeFunction()
  })
})

describe('auto', () => {
  test('takes methods only, and schemas that the class has methods for', () => {
    const never = () => {
      const methods = { add: { kind: 'tool' } } as const
      @generated(methods)
      class _Fits {
        @tool.auto({ title: 'Add' }) add(a: number, b = 1) {
          return a + b
        }
      }
      // @ts-expect-error: the generated schemas are those of a method that is gone.
      @generated(methods)
      class _Stale {
        @tool.auto() sum(a: number) {
          return a
        }
      }
      class _Wrong {
        // @ts-expect-error: the schemas come from the types.
        @tool.auto({ input: Input }) given(n: number) {
          return n
        }
        // @ts-expect-error: instances are served.
        @tool.auto() static fixed(n: number) {
          return n
        }
        // @ts-expect-error: a prompt is text or messages.
        @prompt.auto() result(topic: string) {
          return topic.length
        }
      }
    }
    expectTypeOf(never).toBeFunction()
  })
})

describe('ToolsIn', () => {
  test('knows the tools of an instance by their names', () => {
    class _Tools {
      private readonly secret = 1
      plain = 'no tool'
      field = tool({ input: z.object({ a: z.number().default(1) }), output: Output }, () => ({ ok: true }))
      renamed = tool({ name: 'other-name', input: Input }, ({ n }) => n)
      method({ n }: { n: number }, _context: Context) {
        return { n: n + this.secret }
      }
      async asks(_context: Context) {
        return 'text'
      }
      positional(a: number, b: string) {
        return { a, b }
      }
    }
    type Found = ToolsIn<_Tools>
    expectTypeOf<keyof Found>().toEqualTypeOf<'field' | 'other-name' | 'method' | 'asks' | 'positional'>()
    expectTypeOf<Found['field']['args']>().toEqualTypeOf<{ a?: number | undefined }>()
    expectTypeOf<Found['field']['result']>().toEqualTypeOf<{ ok: boolean }>()
    expectTypeOf<Found['other-name']['args']>().toEqualTypeOf<{ n: number }>()
    expectTypeOf<Found['other-name']['result']>().toEqualTypeOf<undefined>()
    expectTypeOf<Found['method']>().toEqualTypeOf<{ readonly args: { n: number }; readonly result: { n: number } }>()
    expectTypeOf<Found['asks']['args']>().toEqualTypeOf<Record<string, never>>()
    expectTypeOf<Found['asks']['result']>().toEqualTypeOf<undefined>()
    expectTypeOf<Found['positional']['args']>().toEqualTypeOf<Record<string, unknown>>()
  })
})
