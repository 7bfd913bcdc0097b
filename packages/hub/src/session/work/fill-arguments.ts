import { abilitySchemas, type Ability } from '@herma/contract'
import type { WorkInput } from './types.ts'

type Json = unknown

/**
 * Puts the request into the arguments of a route: `{input}` is all of it as a text, `{FIELD}` one argument of the ability.
 * A value that is nothing but a token keeps its type, and is left out when the caller did not give it.
 */
export function fillArguments(
  template: Readonly<Record<string, Json>>,
  ability: Ability | 'chat',
  input: WorkInput,
): Record<string, Json> {
  const names = new Set(['input', ...(ability === 'chat' ? [] : Object.keys(abilitySchemas[ability].input.shape))])
  const valueOf = (name: string) => (name === 'input' ? input.text : input.fields[name])
  const fill = (value: Json): Json => {
    if (typeof value === 'string') return fillText(value)
    if (Array.isArray(value)) return value.map(fill).filter((item) => item !== undefined)
    if (typeof value === 'object' && value !== null) return fillObject(value as Record<string, Json>)
    return value
  }
  const fillText = (text: string): Json => {
    const whole = /^\{(\w+)\}$/.exec(text)?.[1]
    if (whole !== undefined && names.has(whole)) return valueOf(whole)
    // Other braces are somebody's own: JSON, a template of the server.
    return text.replaceAll(/\{(\w+)\}/g, (token, name: string) => (names.has(name) ? asText(valueOf(name)) : token))
  }
  const fillObject = (object: Readonly<Record<string, Json>>): Record<string, Json> => {
    const filled = Object.entries(object).map(([name, value]) => [name, fill(value)] as const)
    return Object.fromEntries(filled.filter(([, value]) => value !== undefined))
  }
  return fillObject(template)
}

function asText(value: Json): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
