import type { DiscoveryOption } from '@herma/contract'
import { previewAddress, previewRecipe } from '../recipe/preview-command.ts'
import type { Recipe } from '../recipe/recipe.ts'
import { cleanForeignText } from './clean-foreign-text.ts'
import { readPackage } from './read-package.ts'
import { readRemote } from './read-remote.ts'
import { RegistryPackage, RegistryRemote } from './registry-entry.ts'

/** One way to get a server, with the recipe of its connector where it can be installed. */
export interface ReadOption {
  readonly option: DiscoveryOption
  readonly recipe: Recipe | null
  /** What a person should look at before it is installed. */
  readonly warnings: readonly string[]
}

/** What is read of a package or address before it is shown. */
export interface OptionDraft extends Pick<DiscoveryOption, 'kind' | 'runtime' | 'title' | 'transport' | 'needs'> {
  readonly recipe: Recipe | null
  readonly whyNot: string | null
  readonly warnings: readonly string[]
}

/** Proposed name and words of the connector. */
export type RecipeHead = Pick<Recipe, 'name' | 'description'>

/** The ways to get a server, packages first, each with an id of its own. */
export function readOptions(
  { packages, remotes }: { packages: readonly unknown[]; remotes: readonly unknown[] },
  head: RecipeHead,
): ReadOption[] {
  const drafts = [
    ...packages.map((value) => {
      const parsed = RegistryPackage.safeParse(value)
      return parsed.success ? readPackage(parsed.data, head) : unreadable('local')
    }),
    ...remotes.map((value) => {
      const parsed = RegistryRemote.safeParse(value)
      return parsed.success ? readRemote(parsed.data, head) : unreadable('remote')
    }),
  ]
  const ids = new Set<string>()
  return drafts.map((draft) => {
    const base = `${draft.kind}:${draft.title}`
    const id = ids.has(base) ? `${base}#${ids.size}` : base
    ids.add(id)
    return toOption(id, draft)
  })
}

function toOption(id: string, draft: OptionDraft): ReadOption {
  const { kind, runtime, title, transport, needs, recipe, warnings } = draft
  const nameOf = (need: string) => needs.find((each) => each.id === need)?.name ?? need
  const whyNot = draft.whyNot ?? (recipe === null ? null : foreignSecret(recipe, needs))
  const option: DiscoveryOption = {
    id,
    kind,
    runtime,
    title,
    transport,
    program: recipe?.cmd ?? null,
    command: recipe === null ? null : shown(previewRecipe(recipe, nameOf)),
    url: recipe === null ? null : shown(previewAddress(recipe, nameOf)),
    needs,
    isInstallable: whyNot === null,
    whyNot,
  }
  return { option, recipe: whyNot === null ? recipe : null, warnings }
}

function shown(text: string | null): string | null {
  return text === null ? null : cleanForeignText(text, 4000)
}

function foreignSecret(recipe: Recipe, needs: DiscoveryOption['needs']): string | null {
  if (!/\{secret:/i.test(JSON.stringify([recipe, needs]))) return null
  return 'It refers to secrets that are stored here, which only you may decide. Add it by hand if you trust it.'
}

function unreadable(runtime: 'local' | 'remote'): OptionDraft {
  return {
    kind: runtime === 'remote' ? 'remote' : 'other',
    runtime,
    title: 'unknown',
    transport: null,
    needs: [],
    recipe: null,
    whyNot: 'The registry describes it in a way that Herma does not understand. See its repository for how to run it.',
    warnings: [],
  }
}
