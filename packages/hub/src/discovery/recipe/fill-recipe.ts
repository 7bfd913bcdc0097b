import { HubError, type ConnectorInput, secretNamesIn } from '@herma/contract'
import { isSecretName } from '../../secret/index.ts'
import type { NeedValues } from './need-values.ts'
import { needsIn, type ArgumentRecipe, type NamedRecipe, type Recipe, type Template } from './recipe.ts'

export interface FilledRecipe {
  readonly input: ConnectorInput
  /** Values that stand in arguments and addresses, where they would be seen: they are stored by name instead. */
  readonly secrets: readonly { readonly name: string; readonly value: string }[]
}

/** Where a recipe is put. */
export interface RecipePlace {
  /** Of the connector. */
  readonly name: string
  /** Whether a secret of this name is stored already. */
  isTaken(secret: string): boolean
}

/**
 * Makes the connector. Throws CONNECTOR_INVALID when the recipe would use a stored secret that the person did not name:
 * recipes are written by strangers.
 */
export function fillRecipe(recipe: Recipe, values: NeedValues, { name, isTaken }: RecipePlace): FilledRecipe {
  const filler = new Filler(values, { name, isTaken })
  const workingDir = recipe.workingDir === null ? undefined : filler.plain(recipe.workingDir)
  const input: ConnectorInput = {
    name,
    description: recipe.description,
    enabled: recipe.enabled,
    transport: recipe.transport,
    ...(recipe.baseUrl === null ? {} : { baseUrl: filler.exposed(recipe.baseUrl) }),
    headers: recipe.headers.flatMap((header) => filler.named(header)),
    ...(recipe.cmd === null ? {} : { cmd: recipe.cmd }),
    args: recipe.args.flatMap((argument) => filler.argument(argument)),
    env: recipe.env.flatMap((variable) => filler.named(variable)),
    ...(workingDir === undefined || workingDir === '' ? {} : { workingDir }),
    options: recipe.options,
  }
  filler.refuseForeignSecrets(input)
  return { input, secrets: filler.secrets }
}

class Filler {
  readonly secrets: { name: string; value: string }[] = []
  readonly #values: NeedValues
  readonly #place: RecipePlace
  readonly #named = new Set<string>()

  constructor(values: NeedValues, place: RecipePlace) {
    this.#values = values
    this.#place = place
  }

  plain(template: Template): string {
    return this.#join(template, (id) => this.#take(id))
  }

  /** For places that everybody sees, such as arguments: secrets are referred to by name. */
  exposed(template: Template): string {
    return this.#join(template, (id) => this.#refer(id, this.#take(id)))
  }

  named({ name, value, isSecret }: NamedRecipe): NonNullable<ConnectorInput['env']> {
    if (this.#isLeftOut(value)) return []
    const secret =
      isSecret || isSecretName(name) || needsIn(value).some((id) => this.#values.need(id)?.isSecret === true)
    return [{ name, value: this.plain(value), secret }]
  }

  argument({ flag, value }: ArgumentRecipe): string[] {
    const flags = flag === null ? [] : [flag]
    if (value === null) return flags
    if (this.#isLeftOut(value)) return []
    const [only, ...more] = needsIn(value)
    const repeated = only !== undefined && more.length === 0 ? this.#values.listOf(only) : []
    if (repeated.length < 2) return [...flags, this.exposed(value)]
    return repeated.flatMap((each) => [...flags, this.#join(value, (id) => this.#refer(id, this.#note(each)))])
  }

  refuseForeignSecrets(input: ConnectorInput): void {
    const foreign = secretNamesIn(JSON.stringify(input)).find((name) => !this.#named.has(name))
    if (foreign === undefined) return
    throw new HubError(
      'CONNECTOR_INVALID',
      `It would use your stored secret '${foreign}', which only you may decide. Add it by hand: herma add --help`,
    )
  }

  #join(template: Template, valueOf: (id: string) => string): string {
    return template.map((part) => (typeof part === 'string' ? part : valueOf(part.need))).join('')
  }

  #take(id: string): string {
    return this.#values.given(id) === undefined
      ? (this.#values.of(id) ?? '')
      : this.#note(this.#values.listOf(id)[0] ?? '')
  }

  /** Secrets that the person wrote down as a reference may be used. */
  #note(value: string): string {
    for (const name of secretNamesIn(value)) this.#named.add(name)
    return value
  }

  #refer(id: string, value: string): string {
    const need = this.#values.need(id)
    if (need?.isSecret !== true || value === '' || secretNamesIn(value).length > 0) return value
    const known = this.secrets.find((secret) => secret.value === value)
    const name = known?.name ?? this.#inventName(need.name)
    if (known === undefined) this.secrets.push({ name, value })
    this.#named.add(name)
    return `{secret:${name}}`
  }

  #inventName(need: string): string {
    const base = `${this.#place.name}-${need}`.replaceAll(/[^A-Za-z0-9]+/g, '-').replace(/^[^A-Za-z]+|-$/g, '')
    const names = [
      base.slice(0, 55) || 'secret',
      ...Array.from({ length: 100 }, (_, index) => `${base.slice(0, 55)}-${index + 2}`),
    ]
    const isFree = (name: string) => !this.#place.isTaken(name) && !this.secrets.some((secret) => secret.name === name)
    const free = names.find(isFree)
    if (free === undefined)
      throw new HubError('OVERLOADED', `There are too many secrets named '${base}'. Remove some: herma secret list`)
    return free
  }

  /** What has no value and needs none is not said at all. */
  #isLeftOut(template: Template): boolean {
    const ids = needsIn(template)
    return ids.length > 0 && ids.every((id) => this.#values.listOf(id).length === 0)
  }
}
