import { resolve } from 'node:path'
import {
  HubError,
  writeAllowedCommand,
  type AccessSettings,
  type AllowedCommand,
  type Decision,
  type Principal,
} from '@herma/contract'
import { isInside } from '../../../platform/file/is-inside.ts'
import type { HostCommand } from '../../../platform/process/host-policy.ts'
import { decision } from '../action.ts'

/** What owners have allowed admins. */
export type HostLists = Pick<AccessSettings, 'allowedCommands' | 'allowedFolders' | 'allowedImages'>

const granted = decision(true, 'An owner decides what runs.')

/** Whether somebody may have the hub run a command of their choosing: an owner any, others what an owner has listed. */
export function mayRunCommand(principal: Principal, command: HostCommand, lists: HostLists): Decision {
  if (mayActAsOwner(principal)) return granted
  const isListed = lists.allowedCommands.some((allowed) => matchesCommand(allowed, command))
  const folders = command.folder === null ? [] : [command.folder]
  if (!isListed) return refuse(`runs a command that no owner has allowed: ${lineOf(command)}`, allowCommand(command))
  return mayWorkIn(principal, folders, lists)
}

/** The same for folders of its machine: what works there reads and writes what is in them, and runs their tests. */
export function mayWorkIn(principal: Principal, folders: readonly string[], lists: HostLists): Decision {
  if (mayActAsOwner(principal)) return granted
  const outside = folders.find((folder) => !lists.allowedFolders.some((allowed) => isInside(allowed, resolve(folder))))
  if (outside === undefined) return decision(true, 'An owner has allowed these folders.')
  return refuse(`uses a folder that no owner has allowed: ${outside}`, `herma access --allow-folder ${outside}`)
}

/** The same for images of containers. */
export function mayUseImage(principal: Principal, image: string, lists: HostLists): Decision {
  if (mayActAsOwner(principal)) return granted
  if (lists.allowedImages.some((allowed) => matchesArgument(allowed, image)))
    return decision(true, 'An owner has allowed this image.')
  return refuse(`uses an image that no owner has allowed: ${image}`, `herma access --allow-image ${image}`)
}

/** Whoever is no owner may neither run what they like on the machine of the hub, nor say whom the hub trusts. */
export function mayActAsOwner({ role }: Principal): boolean {
  return role === 'owner'
}

/** Throws unless an owner asks. `what` is a sentence about what only owners do. */
export function requireOwner(principal: Principal, what: string): void {
  if (!mayActAsOwner(principal))
    throw new HubError('OWNER_ONLY', `${what} '${principal.name}' has the role ${principal.role}. Ask an owner.`)
}

function matchesCommand({ command, args, env }: AllowedCommand, wanted: HostCommand): boolean {
  return (
    command === wanted.command &&
    args.length === wanted.args.length &&
    args.every((pattern, index) => matchesArgument(pattern, wanted.args[index]!)) &&
    wanted.env.every((name) => env.includes(name))
  )
}

/**
 * A star stands for one or more letters, digits, ".", "_" and "-", so that it can hold neither another argument, another
 * folder, an address nor the version of a package, which could be an address too. At the beginning it is no option.
 */
function matchesArgument(pattern: string, argument: string): boolean {
  if (!pattern.includes('*')) return pattern === argument
  if (argument.length > maxMatched || (pattern.startsWith('*') && argument.startsWith('-'))) return false
  const pieces = pattern.split(/\*+/).map((piece) => piece.replaceAll(/[\\^$.+?()[\]{}|/-]/g, String.raw`\$&`))
  if (!new RegExp(`^${pieces.join('[A-Za-z0-9._-]+')}$`).test(argument)) return false
  return argument.split(/[/=]/).every((part) => !/^\.+$/.test(part)) || pattern.split(/[/=]/).includes('..')
}

const maxMatched = 300

function refuse(problem: string, command: string): Decision {
  return decision(false, `${problem}. An owner can do this, or allow it to admins: ${command}`)
}

function allowCommand(command: HostCommand): string {
  return `herma access --allow-command '${lineOf(command).replaceAll("'", String.raw`'\''`)}'`
}

function lineOf({ command, args, env }: HostCommand): string {
  const line = writeAllowedCommand({ command, args: [...args], env: [...env] })
  return line.length > maxLine ? `${line.slice(0, maxLine)}…` : line
}

const maxLine = 500
