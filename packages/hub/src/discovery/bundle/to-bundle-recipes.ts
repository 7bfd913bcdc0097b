import { ConnectorOptions, HubError, type BundleManifest, type BundleNeed, type DiscoveryNeed } from '@herma/contract'
import {
  needsIn,
  toTemplate,
  type ArgumentRecipe,
  type NamedRecipe,
  type Recipe,
  type Template,
} from '../recipe/recipe.ts'

/** The connectors of a bundle as recipes, and what they need. `{need:ID}` stands for a value. */
export function toBundleRecipes(manifest: BundleManifest): { needs: DiscoveryNeed[]; recipes: Recipe[] } {
  const known = new Set(manifest.needs.map(({ id }) => id))
  const read = (text: string): Template =>
    toTemplate(text, (name) => {
      if (!name.startsWith('need:')) return undefined
      const id = name.slice('need:'.length)
      if (known.has(id)) return id
      throw new HubError(
        'FILE_UNREADABLE',
        `bundle.json: {need:${id}} is used, but 'needs' has no '${id}'. Add it there.`,
      )
    })
  const recipes = manifest.connectors.map((connector): Recipe => {
    const named = ({ name, value, secret }: (typeof connector.env)[number]): NamedRecipe => ({
      name,
      value: read(value),
      isSecret: secret ?? false,
    })
    const options = ConnectorOptions.partial().safeParse(connector.options)
    if (!options.success) {
      const issue = options.error.issues[0]!
      throw new HubError('FILE_UNREADABLE', `bundle.json: options of '${connector.name}': ${issue.message}`)
    }
    return {
      name: connector.name,
      description: connector.description,
      enabled: true,
      transport: connector.transport,
      baseUrl: connector.baseUrl === undefined ? null : read(connector.baseUrl),
      headers: connector.headers.map(named),
      cmd: connector.cmd ?? null,
      args: toArguments(connector.args.map(read)),
      env: connector.env.map(named),
      workingDir: connector.workingDir === undefined ? null : read(connector.workingDir),
      // As it was written: defaults belong to the hub.
      options: connector.options,
    }
  })
  return { needs: manifest.needs.map((need) => toNeed(need, recipes)), recipes }
}

/** A flag goes with the value behind it, so that both are left out where nothing is given. */
function toArguments(templates: readonly Template[]): ArgumentRecipe[] {
  const args: ArgumentRecipe[] = []
  for (let index = 0; index < templates.length; index++) {
    const [template = [], next] = [templates[index], templates[index + 1]]
    const [flag] = template
    const isPair =
      typeof flag === 'string' && /^--?\w[\w-]*$/.test(flag) && next !== undefined && needsIn(next).length > 0
    args.push(isPair ? { flag, value: next } : { flag: null, value: template })
    if (isPair) index++
  }
  return args
}

function toNeed(
  { id, default: byDefault, placeholder, ...need }: BundleNeed,
  recipes: readonly Recipe[],
): DiscoveryNeed {
  return {
    id,
    name: id,
    in: placeOf(id, recipes),
    ...need,
    default: byDefault ?? null,
    placeholder: placeholder ?? null,
  }
}

function placeOf(id: string, recipes: readonly Recipe[]): DiscoveryNeed['in'] {
  const uses = (values: readonly { readonly value: Template | null }[]) =>
    values.some(({ value }) => value !== null && needsIn(value).includes(id))
  if (recipes.some(({ args }) => uses(args))) return 'argument'
  if (recipes.some(({ env }) => uses(env))) return 'env'
  if (recipes.some(({ headers }) => uses(headers))) return 'header'
  return recipes.some(({ baseUrl }) => uses([{ value: baseUrl }])) ? 'url' : 'argument'
}
