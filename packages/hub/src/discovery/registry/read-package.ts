import type { DiscoveryOption } from '@herma/contract'
import type { ArgumentRecipe, NamedRecipe, Recipe } from '../recipe/recipe.ts'
import { cleanForeignText } from './clean-foreign-text.ts'
import { packageRunners } from './package-runner.ts'
import { InputReader } from './read-input.ts'
import type { OptionDraft, RecipeHead } from './read-option.ts'
import type { RegistryArgument, RegistryPackage } from './registry-entry.ts'

/** Reads a package that runs on the machine of the hub. */
export function readPackage(given: RegistryPackage, head: RecipeHead): OptionDraft {
  const kind = kindOf(given)
  const inputs = new InputReader()
  const runtimeArgs = given.runtimeArguments.map((argument) => readArgument(argument, inputs))
  const packageArgs = given.packageArguments.map((argument) => readArgument(argument, inputs))
  const env = given.environmentVariables.map((variable): NamedRecipe => ({
    name: variable.name,
    value: inputs.read(variable, { name: variable.name, in: 'env' }),
    isSecret: variable.isSecret ?? false,
  }))
  const title = cleanForeignText(given.identifier, 300)
  const whyNot = refuse(kind, given)
  const runner = kind in packageRunners ? packageRunners[kind as keyof typeof packageRunners] : null
  const recipe: Recipe | null =
    whyNot !== null || runner === null
      ? null
      : {
          ...head,
          enabled: true,
          transport: 'stdio',
          baseUrl: null,
          headers: [],
          cmd: runner.programs.find((program) => program === given.runtimeHint) ?? runner.programs[0],
          args: runner.compose({ given, runtimeArgs, packageArgs, env }),
          env,
          workingDir: null,
          options: {},
        }
  const base = { kind, runtime: 'local' as const, title, transport: 'stdio' as const }
  return { ...base, needs: inputs.needs, recipe, whyNot, warnings: recipe === null ? [] : warnOf(kind, recipe) }
}

function kindOf({ registryType }: RegistryPackage): DiscoveryOption['kind'] {
  if (Object.hasOwn(packageRunners, registryType)) return registryType as keyof typeof packageRunners
  return registryType === 'mcpb' ? 'mcpb' : 'other'
}

function readArgument(argument: RegistryArgument, inputs: InputReader): ArgumentRecipe {
  const { isRepeated } = argument
  if (argument.type === 'positional') {
    return {
      flag: null,
      value: inputs.read(argument, { name: argument.valueHint ?? 'value', in: 'argument', isRepeated }),
    }
  }
  const isAlone = argument.value === '' || (argument.value === undefined && isSwitch(argument))
  if (isAlone) return { flag: argument.name, value: null }
  return { flag: argument.name, value: inputs.read(argument, { name: argument.name, in: 'argument', isRepeated }) }
}

/** A named argument that nothing is said about but its name is a flag to be set. */
function isSwitch({
  description,
  format,
  default: byDefault,
  choices,
  placeholder,
  ...more
}: RegistryArgument): boolean {
  const isSilent = [format, byDefault, choices, placeholder].every((field) => field === undefined)
  return isSilent && description === undefined && more.isRequired === undefined && more.isSecret === undefined
}

function refuse(kind: DiscoveryOption['kind'], given: RegistryPackage): string | null {
  if (kind === 'mcpb') return 'It is a bundle for desktop clients (.mcpb). Unpack it and add its command by hand.'
  if (kind === 'other' || kind === 'remote')
    return 'Herma does not know this kind of package. See its repository for how to run it.'
  const { identifier, home } = packageRunners[kind]
  if (given.transport.type !== 'stdio')
    return 'It runs as a web server of its own. Start it as its repository says, then add its address.'
  const isLegal =
    identifier.test(given.identifier) && /^[\w.+-]*$/.test(given.version ?? '') && !given.version?.startsWith('-')
  if (!isLegal) return 'The name or version of its package is not one. Do not install it.'
  const base = given.registryBaseUrl
  const isHome = base === undefined || (URL.canParse(base) && home.test(new URL(base).hostname))
  // The same name at another place may be the package of somebody else.
  return isHome ? null : `Its package is not at the usual place but at ${cleanForeignText(base, 200)}. Add it by hand.`
}

/** Flags that give a container more than its own files. */
const reaching =
  /^(?:--privileged|--cap-add|--device|--pid|--ipc|--network|--net|--mount|--volume|-v|--security-opt|--userns)$/

function warnOf(kind: DiscoveryOption['kind'], recipe: Recipe): string[] {
  if (kind !== 'oci') return []
  const flags = recipe.args.flatMap(({ flag: name, value }) => [name ?? String(value?.[0])])
  const wide = [...new Set(flags.map((name) => name.split('=')[0]!).filter((name) => reaching.test(name)))]
  return wide.length === 0
    ? []
    : [`Its container may reach more than its own files: ${wide.join(', ')}. Look at the command.`]
}
