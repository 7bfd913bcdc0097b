import { attributesOf } from './attributes-of.ts'

/** Who sends: the hub. */
export function resourceOf(version: string): object {
  return { attributes: attributesOf({ 'service.name': 'herma', 'service.version': version }) }
}

export function scopeOf(version: string): object {
  return { name: 'herma', version }
}
