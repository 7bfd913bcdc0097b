import type { ArgumentRecipe, NamedRecipe } from '../recipe/recipe.ts'
import type { RegistryPackage } from './registry-entry.ts'

/** How packages of one kind are run. */
export interface PackageRunner {
  /** The first is the usual one. */
  readonly programs: readonly [string, ...string[]]
  /** Names of packages; nothing that a program would take for a flag or an address. */
  readonly identifier: RegExp
  /** The public place of such packages. */
  readonly home: RegExp
  compose(parts: Composed): ArgumentRecipe[]
}

export const packageRunners: Record<'npm' | 'pypi' | 'oci' | 'nuget', PackageRunner> = {
  npm: {
    programs: ['npx', 'bunx'],
    identifier: /^(?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*$/i,
    home: /(?:^|\.)npmjs\.(?:org|com)$/,
    compose: ({ given, runtimeArgs, packageArgs }) => [
      ...(given.runtimeHint === 'bunx' || hasFlag(runtimeArgs, '-y', '--yes') ? [] : [flag('-y')]),
      ...runtimeArgs,
      word(versioned(given)),
      ...packageArgs,
    ],
  },
  pypi: {
    programs: ['uvx', 'pipx'],
    identifier: /^[a-z0-9][\w.-]*(?:\[[\w,.-]+\])?$/i,
    home: /(?:^|\.)pypi\.org$/,
    compose: ({ given, runtimeArgs, packageArgs }) => [
      ...(given.runtimeHint === 'pipx' ? [word('run')] : []),
      ...runtimeArgs,
      word(given.runtimeHint === 'pipx' ? versioned(given).replace('@', '==') : versioned(given)),
      ...packageArgs,
    ],
  },
  oci: {
    programs: ['docker', 'podman'],
    identifier: /^[a-z0-9][\w./:@-]*$/i,
    home: /(?:^|\.)(?:docker\.io|docker\.com|ghcr\.io|quay\.io|mcr\.microsoft\.com|pkg\.dev|azurecr\.io|gcr\.io)$/,
    compose: ({ given, runtimeArgs, packageArgs, env }) => {
      const { identifier, version } = given
      const isTagged = /[:@][^/]*$/.test(identifier)
      const more = runtimeArgs.filter((argument) => String(argument.value?.[0]) !== 'run')
      return [
        word('run'),
        ...(hasFlag(more, '-i', '--interactive', '-it') ? [] : [flag('-i')]),
        ...(hasFlag(more, '--rm') ? [] : [flag('--rm')]),
        ...more,
        // Their values are in the environment, not on the command line.
        ...env.map(({ name }): ArgumentRecipe => ({ flag: '-e', value: [name] })),
        word(isTagged || version === undefined ? identifier : `${identifier}:${version}`),
        ...packageArgs,
      ]
    },
  },
  nuget: {
    programs: ['dnx'],
    identifier: /^[a-z0-9][\w.-]*$/i,
    home: /(?:^|\.)nuget\.org$/,
    compose: ({ given, runtimeArgs, packageArgs }) => [
      word(versioned(given)),
      ...(hasFlag(runtimeArgs, '--yes', '-y') ? [] : [flag('--yes')]),
      ...runtimeArgs,
      ...(packageArgs.length === 0 ? [] : [flag('--'), ...packageArgs]),
    ],
  },
}

interface Composed {
  readonly given: RegistryPackage
  readonly runtimeArgs: readonly ArgumentRecipe[]
  readonly packageArgs: readonly ArgumentRecipe[]
  readonly env: readonly NamedRecipe[]
}

const word = (text: string): ArgumentRecipe => ({ flag: null, value: [text] })
const flag = (name: string): ArgumentRecipe => ({ flag: name, value: null })
const hasFlag = (args: readonly ArgumentRecipe[], ...names: string[]) =>
  args.some((arg) => names.includes(arg.flag ?? String(arg.value?.[0])))
const versioned = ({ identifier, version }: RegistryPackage) =>
  version === undefined ? identifier : `${identifier}@${version}`
