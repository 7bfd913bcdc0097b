import { toTemplate, type Recipe } from '../recipe/recipe.ts'
import { cleanForeignText } from './clean-foreign-text.ts'
import { InputReader } from './read-input.ts'
import type { OptionDraft, RecipeHead } from './read-option.ts'
import type { RegistryRemote } from './registry-entry.ts'

/** Reads an address where a server runs already. */
export function readRemote(given: RegistryRemote, head: RecipeHead): OptionDraft {
  const inputs = new InputReader()
  const asked = new Map<string, string>()
  const baseUrl = toTemplate(given.url, (name) => {
    const variable = Object.hasOwn(given.variables, name) ? given.variables[name] : undefined
    // A name in braces that nobody explains is asked for all the same: the address is none without it.
    const id = asked.get(name) ?? inputs.ask(variable ?? { isRequired: true }, { name, in: 'url' })
    asked.set(name, id)
    return id
  })
  const headers = given.headers.map((header) => ({
    name: header.name,
    value: inputs.read(header, { name: header.name, in: 'header' }),
    isSecret: header.isSecret ?? false,
  }))
  const transport = given.type === 'sse' ? ('sse' as const) : ('stream' as const)
  const whyNot = refuse(given)
  const recipe: Recipe = {
    ...head,
    enabled: true,
    transport,
    baseUrl,
    headers,
    cmd: null,
    args: [],
    env: [],
    workingDir: null,
    options: {},
  }
  return {
    kind: 'remote',
    runtime: 'remote',
    title: cleanForeignText(given.url, 300),
    transport,
    needs: inputs.needs,
    recipe: whyNot === null ? recipe : null,
    whyNot,
    warnings: /^http:/i.test(given.url)
      ? ['Its address is not encrypted (http): others on the way can read along.']
      : [],
  }
}

function refuse({ type, url }: RegistryRemote): string | null {
  if (type !== 'streamable-http' && type !== 'sse' && type !== 'http')
    return `Herma does not know the transport '${cleanForeignText(type, 50)}'.`
  const isAddress = url.startsWith('{') || (/^https?:\/\//i.test(url) && URL.canParse(url.replaceAll(/[{}]/g, 'x')))
  return isAddress ? null : 'Its address is not one. Do not install it.'
}
