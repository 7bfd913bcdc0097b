import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import type { UriVariables } from './component/uri-variables.ts'
import type { Answer, Context } from './context/context.ts'
import { tool } from './decorator/index.ts'
import { type App, server, serverOf } from './server/app.ts'
import type { Behaviour } from './host/behaviour.ts'
import type { ResultOf } from './server/middleware.ts'
import { matrix } from './testing/matrix.ts'
import type { Called, TestClient } from './testing/test-client.ts'
import { test as connect } from './testing/test.ts'

// What the compiler promises to authors; decorators have a file of their own. The gate runs tsc over this file: a
// promise that it no longer keeps is an unused `@ts-expect-error` or a failing `expectTypeOf`. What would talk to a
// server stands in functions that nobody calls.

const options = { name: 'types', version: '1.0.0' }
const Input = z.object({ a: z.number(), b: z.number().default(1) })
const Output = z.object({ sum: z.number(), unit: z.string().default('m') })

type ToolsOf<Server> = Server extends App<infer Found, infer _State> ? Found : never

describe('a tool of the builder', () => {
  test('gets what its input schema parses, whichever library wrote it', () => {
    server(options)
      .tool('zod', { input: Input }, (args, context) => {
        expectTypeOf(args).toEqualTypeOf<{ a: number; b: number }>()
        expectTypeOf(context).toExtend<Context<undefined>>()
        return args.a
      })
      .tool('arktype', { input: type({ name: 'string', 'times?': '1 <= number.integer <= 5' }) }, (args) => {
        expectTypeOf(args).toEqualTypeOf<{ name: string; times?: number }>()
        return args.name
      })
      .tool('valibot', { input: toStandardJsonSchema(v.object({ name: v.optional(v.string(), 'ana') })) }, (args) => {
        expectTypeOf(args).toEqualTypeOf<{ name: string }>()
        return args.name
      })
      .tool('transformed', { input: z.object({ n: z.string().transform(Number) }) }, (args) => {
        expectTypeOf(args.n).toEqualTypeOf<number>()
        return args.n
      })
      .tool('none', {}, (args) => {
        expectTypeOf(args).toEqualTypeOf<Record<string, never>>()
      })
      .tool('unknown-field', { input: Input }, (args) => {
        // @ts-expect-error: the schema has no such field.
        return args.c
      })
  })

  test('returns what its output schema takes, or what content can be made of', () => {
    const app = server(options)
    app.tool('value', { output: Output }, () => ({ sum: 1 }))
    app.tool('promise', { output: Output }, async () => ({ sum: 1 }))
    app.tool('pair', { output: Output }, () => ({
      structured: { sum: 1 },
      content: [{ type: 'text', text: 'one' }],
    }))
    app.tool('error', { output: Output }, () => ({ content: [{ type: 'text', text: 'no' }], isError: true }))
    app.tool('text', {}, () => 'text')
    app.tool('json', {}, () => ({ any: ['json', 1, null] }))
    interface Person {
      name: string
    }
    app.tool('interface', {}, async (): Promise<Person> => ({ name: 'Ada' }))
    app.tool('interfaces', {}, (): Person[] => [])
    app.tool('blocks', {}, () => [{ type: 'image', data: '', mimeType: 'image/png' }])
    app.tool('nothing', {}, () => {})
    // @ts-expect-error: the sum is a number.
    app.tool('wrong', { output: Output }, () => ({ sum: 'one' }))
    // @ts-expect-error: a field is missing.
    app.tool('missing', { output: Output }, async () => ({ unit: 'm' }))
    // @ts-expect-error: text is not the output.
    app.tool('text-instead', { output: Output }, () => 'text')
    // @ts-expect-error: a function cannot be sent.
    app.tool('function', {}, () => () => 1)
    // @ts-expect-error: a result without its isError is no error.
    app.tool('no-error', { output: Output }, () => ({ content: [{ type: 'text', text: 'no' }] }))
    expectTypeOf(app).toExtend<App>()
  })

  test('refuses schemas and options that do not exist', () => {
    const never = (app: App) => {
      // @ts-expect-error: valibot by itself cannot write JSON Schema.
      app.tool('schema', { input: v.object({}) }, () => 'text')
      // @ts-expect-error: a plain JSON Schema has no types.
      app.tool('json', { input: { type: 'object' } }, () => 'text')
      // @ts-expect-error: a task is never, allowed or required.
      app.tool('task', { task: 'sometimes' }, () => 'text')
      // @ts-expect-error: it is called readOnlyHint.
      app.tool('hint', { annotations: { readonly: true } }, () => 'text')
      // @ts-expect-error: it is called timeoutMs.
      app.tool('timeout', { timeout: 1 }, () => 'text')
      // @ts-expect-error: a handler has two parameters.
      app.tool('three', { input: Input }, (_args, _context, third: string) => third)
    }
    expectTypeOf(never).toBeFunction()
  })

  test('leaves its types with the server', () => {
    const app = server(options)
      .tool('add', { input: Input, output: Output }, ({ a, b }) => ({ sum: a + b }))
      .tool('say', {}, () => 'text')
    type Found = ToolsOf<typeof app>
    expectTypeOf<keyof Found>().toEqualTypeOf<'add' | 'say'>()
    expectTypeOf<Found['add']['args']>().toEqualTypeOf<{ a: number; b?: number | undefined }>()
    expectTypeOf<Found['add']['result']>().toEqualTypeOf<{ sum: number; unit: string }>()
    expectTypeOf<Found['say']['args']>().toEqualTypeOf<Record<string, never>>()
    expectTypeOf<Found['say']['result']>().toEqualTypeOf<undefined>()
  })
})

describe('a resource of the builder', () => {
  test('gets the variables of its template', () => {
    server(options)
      .resource('note://{folder}/{+path}{?page,size*}', {}, (variables, context) => {
        expectTypeOf(variables.folder).toEqualTypeOf<string>()
        expectTypeOf<keyof typeof variables>().toEqualTypeOf<'folder' | 'path' | 'page' | 'size'>()
        expectTypeOf(context.uri).toEqualTypeOf<URL>()
        return 'text'
      })
      .resource('note://all', {}, (variables) => {
        expectTypeOf(variables).toBeUnknown()
        return new Uint8Array()
      })
    const app = server(options)
    // @ts-expect-error: the template has no 'name'.
    app.resource('note://{id}', {}, ({ name }) => name)
    // @ts-expect-error: a number is no content of a resource.
    app.resource('note://number/{id}', {}, () => 1)
  })

  test('reads every operator of RFC 6570', () => {
    type Names<Uri extends string> = keyof UriVariables<Uri>
    expectTypeOf<Names<'a://{a}'>>().toEqualTypeOf<'a'>()
    expectTypeOf<Names<'a://{+a}/{#b}'>>().toEqualTypeOf<'a' | 'b'>()
    expectTypeOf<Names<'a:/{/a,b}{.c}'>>().toEqualTypeOf<'a' | 'b' | 'c'>()
    expectTypeOf<Names<'a:/x{;a}{?b,c}{&d}'>>().toEqualTypeOf<'a' | 'b' | 'c' | 'd'>()
    expectTypeOf<Names<'a://{a*}/{b:3}'>>().toEqualTypeOf<'a' | 'b'>()
  })
})

describe('a prompt of the builder', () => {
  test('gets what its schema parses, and returns text or messages', () => {
    const app = server(options)
    app.prompt(
      'review',
      { args: z.object({ topic: z.string(), style: z.enum(['short', 'long']).optional() }) },
      (args) => {
        expectTypeOf(args).toEqualTypeOf<{ topic: string; style?: 'short' | 'long' | undefined }>()
        return [{ role: 'user', content: { type: 'text', text: args.topic } }]
      },
    )
    app.prompt('none', {}, (args) => {
      expectTypeOf(args).toEqualTypeOf<Record<string, never>>()
      return 'text'
    })
    // @ts-expect-error: a number is no prompt.
    app.prompt('number', {}, () => 1)
    // @ts-expect-error: nobody has the role of a poet.
    app.prompt('role', {}, () => [{ role: 'poet', content: { type: 'text', text: '' } }])
  })
})

describe('the context', () => {
  test('has the state that the server was begun with', () => {
    server({ ...options, state: { init: () => ({ count: 0 }) } })
      .tool('count', {}, async (_args, context) => {
        expectTypeOf(await context.state.get()).toEqualTypeOf<{ count: number }>()
        // @ts-expect-error: the count is a number.
        await context.state.set({ count: 'one' })
        // @ts-expect-error: a change keeps the shape.
        await context.state.update((state) => ({ total: state.count }))
        return (await context.state.update(({ count }) => ({ count: count + 1 }))).count
      })
      .method('own/method', async (_request, context) => {
        expectTypeOf(await context.state.get()).toEqualTypeOf<{ count: number }>()
        return {}
      })
  })

  test('types the answers to questions and what `once` keeps', () => {
    const never = async (context: Context) => {
      const answer = await context.elicit('sure', { message: 'Sure?', schema: z.object({ yes: z.boolean() }) })
      expectTypeOf(answer).toEqualTypeOf<Answer<{ yes: boolean }>>()
      // @ts-expect-error: there is a value only after 'accept'.
      const early = answer.value
      if (answer.action === 'accept') expectTypeOf(answer.value.yes).toEqualTypeOf<boolean>()
      expectTypeOf(await context.once('id', () => ({ id: 1 }))).toEqualTypeOf<{ id: number }>()
      // @ts-expect-error: what is kept travels as JSON.
      await context.once('never', () => () => 1)
      // @ts-expect-error: the principal may be nobody.
      const { id } = context.principal
      // @ts-expect-error: there is no such level.
      context.log.loud('text')
      return [early, id]
    }
    expectTypeOf(never).toBeFunction()
  })
})

describe('middleware', () => {
  test('knows the request and the result of the method that it is for', () => {
    const app = server(options)
    app.use('tools/call', async (request, next, context) => {
      expectTypeOf(request.method).toEqualTypeOf<'tools/call'>()
      expectTypeOf(request.params.name).toEqualTypeOf<string>()
      expectTypeOf(context).toExtend<Context>()
      const result = await next()
      expectTypeOf(result).toEqualTypeOf<ResultOf<'tools/call'>>()
      return result
    })
    app.use('resources/read', (request, next) => {
      expectTypeOf(request.params.uri).toEqualTypeOf<string>()
      return next()
    })
    app.use(async (request, next) => {
      expectTypeOf(request.method).toEqualTypeOf<string>()
      return next()
    })
    // @ts-expect-error: it has to answer.
    app.use(() => {})
  })
})

describe('a server that is put together of others', () => {
  const child = server(options).tool('add', { input: Input, output: Output }, () => ({ sum: 1 }))

  test('has their tools, under their namespace', () => {
    const app = server(options)
      .tool('own', {}, () => 'text')
      .mount(child, { namespace: 'math' })
    expectTypeOf<keyof ToolsOf<typeof app>>().toEqualTypeOf<'own' | 'math_add'>()
    expectTypeOf<ToolsOf<typeof app>['math_add']>().toEqualTypeOf<ToolsOf<typeof child>['add']>()
    const flat = server(options).mount(child)
    expectTypeOf<keyof ToolsOf<typeof flat>>().toEqualTypeOf<'add'>()
  })

  test('has the tools of the instances that it was given', () => {
    class Notes {
      count = tool({ output: z.object({ count: z.number() }) }, () => ({ count: 1 }))
      @tool({ input: z.object({ text: z.string() }) }) save({ text }: { text: string }) {
        return text
      }
    }
    const app = server(options)
      .tool('own', {}, () => 'text')
      .add(new Notes())
    type Found = ToolsOf<typeof app>
    expectTypeOf<keyof Found>().toEqualTypeOf<'own' | 'count' | 'save'>()
    expectTypeOf<Found['count']['result']>().toEqualTypeOf<{ count: number }>()
    expectTypeOf<Found['save']['args']>().toEqualTypeOf<{ text: string }>()
  })
})

describe('the testing kit', () => {
  const app = server({ ...options, state: { init: () => ({ count: 0 }) } })
    .tool('add', { input: Input, output: Output }, ({ a, b }) => ({ sum: a + b }))
    .tool('say', {}, () => 'text')

  test('checks the names, arguments and results of calls', () => {
    const never = async () => {
      await using t = await connect(app)
      expectTypeOf(await t.call('add', { a: 1 })).toEqualTypeOf<Called<{ sum: number; unit: string }>>()
      expectTypeOf((await t.call('say')).value).toEqualTypeOf<undefined>()
      expectTypeOf(await t.state()).toEqualTypeOf<{ count: number }>()
      await t.call('add', { a: 1, b: 2 }, { signal: new AbortController().signal })
      // @ts-expect-error: there is no such tool.
      await t.call('subtract', { a: 1 })
      // @ts-expect-error: 'a' is missing.
      await t.call('add', {})
      // @ts-expect-error: 'a' is a number.
      await t.call('add', { a: 'one' })
      // @ts-expect-error: there is no 'c'.
      await t.call('add', { a: 1, c: 1 })
      // @ts-expect-error: it needs arguments.
      await t.call('add')
      // @ts-expect-error: there is no such revision.
      await connect(app, { version: '2023-01-01' })
      await matrix(app, async (each, version) => {
        expectTypeOf(each).toEqualTypeOf<TestClient<ToolsOf<typeof app>, { count: number }>>()
        expectTypeOf(version).toBeString()
        await each.call('add', { a: 1 })
      })
    }
    expectTypeOf(never).toBeFunction()
  })
})

describe('a low-level behaviour', () => {
  test('carries its state from `init` to every reply', () => {
    const behaviour: Behaviour<{ count: number }> = {
      serverInfo: () => options,
      init: () => ({ count: 0 }),
      handleRequest: (request, state) => {
        expectTypeOf(state).toEqualTypeOf<{ count: number }>()
        return ['reply', { method: request.method }, { count: state.count + 1 }]
      },
      handleInfo: (_event, state) => ['noreply', { count: state.count }],
      terminate: (_reason, state) => {
        expectTypeOf(state.count).toEqualTypeOf<number>()
      },
    }
    serverOf(behaviour)
    const never = (): Behaviour<{ count: number }> => ({
      serverInfo: () => options,
      // @ts-expect-error: the state is a count.
      init: () => ({ total: 0 }),
      // @ts-expect-error: a reply says what it is.
      handleRequest: () => ({ result: 1 }),
    })
    expectTypeOf(never).toBeFunction()
  })
})
