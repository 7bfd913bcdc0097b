import type { ServerPatch } from '@herma/contract'
import { type Command, Option } from 'commander'

type Switch = 'on' | 'off'

/** Flags that say how a server is served. */
export interface ServerFlags {
  description?: string
  connector?: string
  sse?: Switch
  mode?: 'full' | 'search' | 'code'
  view?: string
  metadata?: Switch
  schemas?: 'auto' | 'original' | 'strict'
  fallbacks?: 'auto' | 'on' | 'off'
  access?: 'auto' | 'local' | 'required'
  keyHeader?: string
}

export function addServerFlags(command: Command): Command {
  const choice = (flags: string, text: string, choices: string[]) => new Option(flags, text).choices(choices)
  return command
    .option('--description <text>', 'what it is for')
    .option('--connector <name>', 'host this connector alone, under its own names; none = serve the catalog')
    .addOption(choice('--sse <switch>', 'serve clients of HTTP+SSE (2024-11-05) too', ['on', 'off']))
    .addOption(
      choice(
        '--mode <mode>',
        'full = list every tool; search = three that find and call them; code = one for scripts',
        ['full', 'search', 'code'],
      ),
    )
    .option('--view <name>', 'the view that its clients get; none = the one that is for them')
    .addOption(choice('--metadata <switch>', 'say in _meta["x-herma"] where each tool comes from', ['on', 'off']))
    .addOption(
      choice('--schemas <form>', 'strict = simple schemas for every client; auto = for those known to need them', [
        'auto',
        'original',
        'strict',
      ]),
    )
    .addOption(choice('--fallbacks <switch>', 'offer search and fetch over all resources', ['auto', 'on', 'off']))
    .addOption(
      choice(
        '--access <who>',
        'who needs no key: auto = this machine, while there is no public URL; local = this machine',
        ['auto', 'local', 'required'],
      ),
    )
    .option('--key-header <name>', 'header in which clients send their API key, in place of Authorization: Bearer')
}

/** The changes that the flags ask for. */
export function readServerFlags(flags: ServerFlags): ServerPatch {
  const { description, connector, sse, mode, view, metadata, schemas, fallbacks, access, keyHeader } = flags
  return {
    ...(description === undefined ? {} : { description }),
    ...(connector === undefined ? {} : { connector: connector === 'none' ? null : connector }),
    ...(sse === undefined ? {} : { sse: sse === 'on' }),
    ...(mode === undefined ? {} : { mode }),
    ...(view === undefined ? {} : { view: view === 'none' ? null : view }),
    ...(metadata === undefined ? {} : { metadata: metadata === 'on' }),
    ...(schemas === undefined ? {} : { schemas }),
    ...(fallbacks === undefined ? {} : { fallbacks }),
    ...(access === undefined ? {} : { access }),
    ...(keyHeader === undefined ? {} : { keyHeader }),
  }
}
