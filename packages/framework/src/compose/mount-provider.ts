import type { Component, ComponentOf, Provider } from '../component/component.ts'
import type { Kind } from '../component/define.ts'
import type { Context } from '../context/context.ts'

/** Which components of another server are offered, and how they look. */
export interface MountOptions {
  /** Put before the names of tools and prompts, with an underscore. URIs stay as they are. */
  readonly namespace?: string
  /** Leaves out the components for which it is false; a component that is left out cannot be reached either. */
  filter?(component: Component, context: Context): boolean
  /** Changes how a component looks, or runs. */
  map?<C extends Component>(component: C): C
}

/** A provider as it is seen through a mount. */
export function mountProvider(provider: Provider, options: MountOptions): Provider {
  const { namespace, filter, map } = options
  const prefix = namespace === undefined || namespace === '' ? '' : `${namespace}_`
  const shown = <C extends Component>(component: C | undefined, context: Context): C | undefined => {
    if (component === undefined || filter?.(component, context) === false) return undefined
    return rename(map === undefined ? component : map(component), prefix)
  }
  return {
    list: async <K extends Kind>(kind: K, context: Context) => {
      const listed = await provider.list(kind, context)
      return listed.flatMap((component) => shown(component as Component, context) ?? []) as ComponentOf<K>[]
    },
    find: async <K extends 'tool' | 'prompt'>(kind: K, id: string, context: Context) => {
      if (!id.startsWith(prefix)) return undefined
      const found = await provider.find(kind, id.slice(prefix.length), context)
      return shown(found as Component | undefined, context) as ComponentOf<K> | undefined
    },
    findResource: async (uri, context) => shown(await provider.findResource(uri, context), context),
    onChange: (changed) => provider.onChange?.(changed) ?? (() => {}),
    start: async () => provider.start?.(),
    stop: async () => provider.stop?.(),
  }
}

function rename<C extends Component>(component: C, prefix: string): C {
  if (prefix === '' || component.kind === 'resource' || component.kind === 'template') return component
  const name = `${prefix}${component.id}`
  return { ...component, id: name, descriptor: { ...component.descriptor, name } }
}
