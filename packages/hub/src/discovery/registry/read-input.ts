import type { DiscoveryNeed } from '@herma/contract'
import { isSecretName } from '../../secret/index.ts'
import { toTemplate, type Template } from '../recipe/recipe.ts'
import { cleanForeignText } from './clean-foreign-text.ts'
import type { RegistryInput } from './registry-entry.ts'

interface InputPlace {
  readonly name: string
  readonly in: DiscoveryNeed['in']
  readonly isRepeated?: boolean | undefined
}

/** Collects what the inputs of one package or address ask for. */
export class InputReader {
  readonly needs: DiscoveryNeed[] = []

  /** The text that the input stands for: its own value, or one that is asked for. */
  read(input: RegistryInput, place: InputPlace): Template {
    if (input.value === undefined) return [{ need: this.ask(input, place) }]
    const { variables = {} } = input
    const asked = new Map<string, string>()
    return toTemplate(input.value, (name) => {
      if (!Object.hasOwn(variables, name)) return undefined
      const id = asked.get(name) ?? this.ask(variables[name]!, { name, in: place.in }, place.name)
      asked.set(name, id)
      return id
    })
  }

  /** Adds a need and returns its id. */
  ask(input: RegistryInput, { name, in: where, isRepeated }: InputPlace, owner = ''): string {
    const shown = cleanForeignText(name, 200)
    const base = `${where}:${owner === '' ? '' : `${cleanForeignText(owner, 200)}.`}${shown}`
    const sameCount = this.needs.filter(({ id }) => id === base || id.startsWith(`${base}#`)).length
    const id = sameCount === 0 ? base : `${base}#${sameCount + 1}`
    this.needs.push({
      id,
      name: shown,
      in: where,
      description: cleanForeignText(input.description, 500),
      isRequired: input.isRequired ?? false,
      isSecret: input.isSecret ?? isSecretName(name),
      isRepeated: isRepeated ?? false,
      format: input.format ?? 'string',
      // A value that could not be seen in full must not be used.
      default: input.default === cleanForeignText(input.default, 2000) ? (input.default ?? null) : null,
      placeholder: cleanForeignText(input.placeholder, 200) || null,
      choices: (input.choices ?? []).filter((choice) => choice === cleanForeignText(choice, 500)),
    })
    return id
  }
}
