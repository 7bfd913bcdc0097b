// A class as a server: methods become tools, resources and prompts; fields do too, with inferred arguments.
import assert from 'node:assert/strict'
import { type Context, prompt, resource, server, tool } from '@herma/framework'
import { test } from '@herma/framework/testing'
import { z } from 'zod'

const note = z.object({ id: z.string(), text: z.string() })

class Notes {
  readonly #notes = new Map<string, string>()

  @tool({ description: 'Keeps a note.', input: note })
  keep({ id, text }: z.infer<typeof note>, { notify }: Context) {
    this.#notes.set(id, text)
    notify.resourceUpdated(`note://${id}`)
    return `Kept ${id}.`
  }

  @resource('note://{id}', { mimeType: 'text/plain' })
  one({ id }: { id: string }) {
    return this.#notes.get(id) ?? 'Nothing yet.'
  }

  @prompt({ args: z.object({ topic: z.string() }) })
  write({ topic }: { topic: string }) {
    return `Write a note about ${topic}, then call keep.`
  }

  /** The field form needs no annotation: the schema types the arguments. */
  count = tool({ input: z.object({ prefix: z.string().default('') }) }, ({ prefix }) => {
    return [...this.#notes.keys()].filter((id) => id.startsWith(prefix)).length
  })
}

const app = server({ name: 'notes', version: '1.0.0' }).add(new Notes())

await (process.argv.includes('--check') ? check() : app.stdio())

async function check() {
  await using t = await test(app)
  await t.watch('note://tree')
  assert.equal((await t.call('keep', { id: 'tree', text: 'An oak.' })).text, 'Kept tree.')
  assert.equal((await t.read('note://tree')).text, 'An oak.')
  assert.equal((await t.heard('notifications/resources/updated')).params['uri'], 'note://tree')
  assert.equal((await t.call('count', { prefix: 't' })).text, '1')
  assert.match((await t.prompt('write', { topic: 'trees' })).text, /about trees/)
}
