import { isSecretName, looksSecret } from '../../secret/index.ts'
import { needsIn, type Recipe, type Template } from './recipe.ts'

/** What stands for a value that is not shown. */
const hidden = '••••'

/** A command as a person would type it, without what looks like a secret. */
export function previewCommand(cmd: string, args: readonly string[]): string {
  return [cmd, ...args.map((arg, index) => maskArgument(arg, args[index - 1]))].map(quote).join(' ')
}

/** An address without its password, and without what looks like a secret in its path and query. */
export function previewUrl(text: string): string {
  if (!URL.canParse(text)) return looksSecret(text) ? hidden : text
  const url = new URL(text)
  if (url.password !== '') url.password = hidden
  for (const [name, value] of url.searchParams)
    if (isSecretName(name) || looksSecret(value)) url.searchParams.set(name, hidden)
  const path = url.pathname.split('/').map((part) => (looksSecret(part) ? hidden : part))
  url.pathname = path.join('/')
  return url.href.replaceAll(encodeURIComponent(hidden), hidden)
}

/** The command of a recipe, with names in place of values. */
export function previewRecipe(recipe: Recipe, nameOf: (need: string) => string): string | null {
  if (recipe.cmd === null) return null
  const show = (template: Template) =>
    template.map((part) => (typeof part === 'string' ? part : `<${nameOf(part.need)}>`)).join('')
  const words = recipe.args.flatMap(({ flag, value }) => {
    const word = value === null ? [] : [needsIn(value).length === 0 ? quote(show(value)) : show(value)]
    return [...(flag === null ? [] : [quote(flag)]), ...word]
  })
  return [quote(recipe.cmd), ...words].join(' ')
}

/** The address of a recipe, with names in braces in place of values. */
export function previewAddress({ baseUrl }: Recipe, nameOf: (need: string) => string): string | null {
  return baseUrl?.map((part) => (typeof part === 'string' ? part : `{${nameOf(part.need)}}`)).join('') ?? null
}

function maskArgument(arg: string, before: string | undefined): string {
  const [, option = '', value] = /^--?([\w-]+)(?:=(.*))?$/s.exec(arg) ?? []
  if (value !== undefined && (isSecretName(option) || looksSecret(value)))
    return `${arg.slice(0, arg.indexOf('='))}=${hidden}`
  const flag = /^--?([\w-]+)$/.exec(before ?? '')?.[1]
  const isNamed = flag !== undefined && !arg.startsWith('-') && isSecretName(flag)
  if (/^\{secret:[^{}]+\}$/.test(arg)) return arg
  return isNamed || looksSecret(arg) ? hidden : arg
}

function quote(word: string): string {
  return /^[\w@%+=:,./~{}[\]\u2022-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
