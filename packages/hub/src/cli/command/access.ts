import {
  HubError,
  isQuoteOpen,
  readAllowedCommand,
  writeAllowedCommand,
  type AccessSettings,
  type AccessSettingsPatch,
  type AddressLimits,
  type MemoryLimits,
  type Principal,
  type ReachReport,
} from '@herma/contract'
import { Command, InvalidArgumentError, Option } from 'commander'

import type { Cli } from '../terminal/cli.ts'
import { connectHub } from '../hub/connect-hub.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { formatFields } from '../terminal/format-table.ts'

interface Flags {
  publicUrl?: string
  host?: string[]
  origin?: string[]
  registration?: 'on' | 'off'
  privateAddresses?: 'auto' | 'allow' | 'deny'
  reach?: string[]
  rate?: number | null
  concurrency?: number | null
  perAddress?: Partial<AddressLimits>
  memory?: Partial<MemoryLimits>
  allowCommand?: string[]
  allowFolder?: string[]
  allowImage?: string[]
  check?: boolean
}

/** How the hub can be reached, and what it may reach. */
export function accessCommand(cli: Cli): Command {
  return new Command('access')
    .description('show or change how the hub can be reached, and what it may reach')
    .option('--public-url <url>', 'where others find it, for example https://mcp.example.com; none = only this machine')
    .option('--host <name...>', 'one more Host header that names it; none = forget those before')
    .option(
      '--origin <origin...>',
      'one more origin of web pages that may use its MCP servers; none = forget those before',
    )
    .addOption(new Option('--registration <switch>', 'OAuth clients may register themselves').choices(['on', 'off']))
    .addOption(
      new Option('--private-addresses <rule>', 'whether connectors may lead to private addresses').choices([
        'auto',
        'allow',
        'deny',
      ]),
    )
    .option('--reach <host...>', 'one more host or CIDR that may always be reached; none = forget those before')
    .option('--rate <calls>', 'calls in a minute for everybody but the operator; none = no limit', parseLimit)
    .option('--concurrency <calls>', 'calls at once for everybody but the operator; none = no limit', parseLimit)
    .option(
      '--per-address <limit...>',
      'what one address may hold, and how often it may open connections in a minute: sockets=1000 connections=none opens=1200',
      parsePerAddress,
      {},
    )
    .option(
      '--memory <limit...>',
      'MiB of answers that may wait for clients that do not read: client=32 principal=64 hub=128',
      parseMemory,
      {},
    )
    .option(
      '--allow-command <line...>',
      "one more command that admins may have the hub run, such as 'TOKEN= npx -y @acme/server-*'; none = forget those before",
    )
    .option('--allow-folder <path...>', 'one more folder where admins may have things work; none = forget those before')
    .option('--allow-image <name...>', 'one more container image that admins may use; none = forget those before')
    .option('--check', 'find out whether the public URL leads to this hub')
    .action(async (flags: Flags) => {
      const { api } = await connectHub(cli)
      const before = await api.getAccessSettings()
      const patch = readFlags(flags, before)
      const isChange = Object.keys(patch).length > 0
      const settings = isChange ? await api.updateAccessSettings({ body: patch }) : before
      const me = await api.whoAmI()
      const reach = flags.check === true ? await api.checkReach() : undefined
      if (reach?.ok === false) cli.exitCode = exitCodes.failed
      cli.terminal.answer({ ...settings, me, ...(reach && { reach }) }, () => describe(settings, me, reach))
    })
}

function readFlags(flags: Flags, before: AccessSettings): AccessSettingsPatch {
  // Errors suggest to allow one more, which must not forbid the others.
  const list = (values: string[], known: readonly string[]) =>
    values.includes('none') ? values.filter((value) => value !== 'none') : [...new Set([...known, ...values])]
  const {
    publicUrl,
    host,
    origin,
    registration,
    privateAddresses,
    reach,
    rate,
    concurrency,
    perAddress = {},
    memory = {},
  } = flags
  const { allowCommand, allowFolder, allowImage } = flags
  return {
    ...(publicUrl === undefined ? {} : { publicUrl: publicUrl === 'none' ? null : publicUrl }),
    ...(host === undefined ? {} : { allowedHosts: list(host, before.allowedHosts) }),
    ...(origin === undefined ? {} : { allowedOrigins: list(origin, before.allowedOrigins) }),
    ...(registration === undefined ? {} : { registration: registration === 'on' }),
    ...(privateAddresses === undefined ? {} : { privateAddresses }),
    ...(allowCommand && {
      allowedCommands: commands(list(allowCommand, before.allowedCommands.map(writeAllowedCommand))),
    }),
    ...(allowFolder && { allowedFolders: list(allowFolder, before.allowedFolders) }),
    ...(allowImage && { allowedImages: list(allowImage, before.allowedImages) }),
    ...(reach === undefined ? {} : { reachable: list(reach, before.reachable) }),
    ...(Object.keys(perAddress).length === 0 ? {} : { perAddress: { ...before.perAddress, ...perAddress } }),
    ...(Object.keys(memory).length === 0 ? {} : { memory: { ...before.memory, ...memory } }),
    ...(rate === undefined && concurrency === undefined
      ? {}
      : {
          limits: {
            callsPerMinute: rate === undefined ? before.limits.callsPerMinute : rate,
            concurrency: concurrency === undefined ? before.limits.concurrency : concurrency,
          },
        }),
  }
}

function commands(lines: readonly string[]) {
  const open = lines.find(isQuoteOpen)
  if (open !== undefined) throw new HubError('INVALID_PARAMS', `A quote is not closed: ${open}`)
  return lines.map(readAllowedCommand)
}

function parseLimit(text: string): number | null {
  if (text === 'none') return null
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('Expected a whole number above 0, or none.')
  return Number(text)
}

const perAddressFields = { sockets: 'sockets', connections: 'connections', opens: 'opensPerMinute' } as const

function parsePerAddress(text: string, before: Partial<AddressLimits>): Partial<AddressLimits> {
  const [, name, value] = /^(sockets|connections|opens)=([1-9]\d{0,5}|1000000|none)$/.exec(text) ?? []
  if (name === undefined)
    throw new InvalidArgumentError(
      'Expected sockets=NUMBER, connections=NUMBER or opens=NUMBER, or none as the number.',
    )
  const field = perAddressFields[name as keyof typeof perAddressFields]
  return { ...before, [field]: value === 'none' ? null : Number(value) }
}

function parseMemory(text: string, before: Partial<MemoryLimits>): Partial<MemoryLimits> {
  const [, name, value] = /^(client|principal|hub)=([1-9]\d{0,6})$/.exec(text) ?? []
  if (name === undefined) throw new InvalidArgumentError('Expected client=MIB, principal=MIB or hub=MIB.')
  return { ...before, [name]: Number(value) }
}

function describe(settings: AccessSettings, me: Principal, reach: ReachReport | undefined): string {
  const { limits, perAddress, memory } = settings
  return formatFields([
    ['You are', `${me.id} (${me.role})`],
    ['Public URL', settings.publicUrl ?? 'none: sign-in pages and links name this machine'],
    ['Further hosts', settings.allowedHosts.join(' ') || '-'],
    ['Web pages', settings.allowedOrigins.join(' ') || '-'],
    ['Registration', settings.registration ? 'OAuth clients may register themselves' : 'off'],
    ['Private addresses', settings.privateAddresses],
    ['Admins may run', settings.allowedCommands.map(writeAllowedCommand).join('\n') || '-'],
    ['… work in', settings.allowedFolders.join(' ') || '-'],
    ['… use images', settings.allowedImages.join(' ') || '-'],
    ['Always reachable', settings.reachable.join(' ') || '-'],
    [
      'Limits',
      `${limits.callsPerMinute ?? 'no limit of'} calls a minute, ${limits.concurrency ?? 'any number'} at once`,
    ],
    [
      '… of an address',
      `${perAddress.sockets ?? 'any number of'} sockets, ${perAddress.connections ?? 'any number of'} connections, ` +
        `${perAddress.opensPerMinute ?? 'any number'} opened in a minute; this machine has no limit`,
    ],
    [
      'Memory',
      `${memory.client} MiB of unread answers for a client, ${memory.principal} for a principal, ${memory.hub} in all`,
    ],
    ...(reach === undefined
      ? []
      : [['Check', reach.ok ? `${reach.url} leads to this hub` : `${reach.cause} ${reach.fix}`] as const]),
  ])
}
