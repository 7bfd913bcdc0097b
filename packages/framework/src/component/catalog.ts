import type { Context } from '../context/context.ts'
import { ConfigError } from '../protocol/errors.ts'
import type { Component, ComponentOf, Provider, ResourceComponent, TemplateComponent } from './component.ts'
import type { Kind } from './define.ts'

/** The components of a server: its own by name, then those of its providers. */
export class Catalog {
  readonly #own: { readonly [K in Kind]: Map<string, ComponentOf<K>> } = {
    tool: new Map(),
    resource: new Map(),
    template: new Map(),
    prompt: new Map(),
  }
  readonly #providers: Provider[] = []
  /** How many own components have `visible`, by kind: at 0 the list is the same for everybody. */
  readonly #conditional: Record<Kind, number> = { tool: 0, resource: 0, template: 0, prompt: 0 }
  readonly #descriptors = new Map<Kind, readonly Component['descriptor'][]>()

  get providers(): readonly Provider[] {
    return this.#providers
  }

  has(kind: Kind): boolean {
    return this.#own[kind].size > 0
  }

  add(component: Component): void {
    const own = this.#own[component.kind] as Map<string, Component>
    if (own.has(component.id)) {
      throw new ConfigError(`There are two of ${component.kind} '${component.id}'.`, 'Rename one, or remove the first.')
    }
    own.set(component.id, component)
    if (component.definition.visible !== undefined) this.#conditional[component.kind]++
    this.#descriptors.delete(component.kind)
  }

  remove(kind: Kind, id: string): boolean {
    const own = this.#own[kind] as Map<string, Component>
    const component = own.get(id)
    if (component === undefined) return false
    if (component.definition.visible !== undefined) this.#conditional[kind]--
    this.#descriptors.delete(kind)
    return own.delete(id)
  }

  addProvider(provider: Provider): void {
    this.#providers.push(provider)
  }

  own<K extends Kind>(kind: K, id: string): ComponentOf<K> | undefined {
    return this.#own[kind].get(id)
  }

  /** A tool that everybody sees, without a promise: the usual case of a call. */
  plain(name: string): ComponentOf<'tool'> | undefined {
    const tool = this.#own.tool.get(name)
    return tool?.definition.visible === undefined ? tool : undefined
  }

  ownTemplate(uri: string): TemplateComponent | undefined {
    for (const template of this.#own.template.values()) if (template.matches(uri)) return template
    return undefined
  }

  /** All that this caller may see, own ones first. */
  async list<K extends Kind>(kind: K, context: Context): Promise<readonly ComponentOf<K>[]> {
    const own = [...this.#own[kind].values()] as ComponentOf<K>[]
    const visible = this.#conditional[kind] === 0 ? own : await keepVisible(own, context)
    if (this.#providers.length === 0) return visible
    const others = await Promise.all(this.#providers.map((provider) => provider.list(kind, context)))
    const names = new Set(visible.map((component) => component.id))
    const added = others.flat().filter((component) => !names.has(component.id) && names.add(component.id))
    return [...visible, ...added]
  }

  /** The descriptors of a list; made once while everybody sees the same. */
  async describe(kind: Kind, context: Context): Promise<readonly Component['descriptor'][]> {
    const isCommon = this.#conditional[kind] === 0 && this.#providers.length === 0
    const known = isCommon ? this.#descriptors.get(kind) : undefined
    if (known !== undefined) return known
    const described = (await this.list(kind, context)).map((component) => component.descriptor)
    if (isCommon) this.#descriptors.set(kind, described)
    return described
  }

  async find<K extends 'tool' | 'prompt'>(kind: K, id: string, context: Context): Promise<ComponentOf<K> | undefined> {
    const own = this.own(kind, id)
    if (own !== undefined) return (await isVisible(own, context)) ? own : undefined
    for (const provider of this.#providers) {
      const found = await provider.find(kind, id, context)
      if (found !== undefined) return found
    }
    return undefined
  }

  async findResource(uri: string, context: Context): Promise<ResourceComponent | TemplateComponent | undefined> {
    const own = this.own('resource', uri)
    if (own !== undefined) return (await isVisible(own, context)) ? own : undefined
    for (const template of this.#own.template.values()) {
      if (template.matches(uri) && (await isVisible(template, context))) return template
    }
    for (const provider of this.#providers) {
      const found = await provider.findResource(uri, context)
      if (found !== undefined) return found
    }
    return undefined
  }
}

async function keepVisible<C extends Component>(components: readonly C[], context: Context): Promise<C[]> {
  const seen = await Promise.all(components.map((component) => isVisible(component, context)))
  return components.filter((_, index) => seen[index])
}

function isVisible(component: Component, context: Context): boolean | Promise<boolean> {
  return component.definition.visible === undefined || component.definition.visible(context)
}
