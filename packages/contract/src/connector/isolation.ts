import { z } from 'zod'

/** In a container: a folder of the host that is there too. A comma or quote would begin another field of `--mount`. */
const MountPath = z
  .string()
  .max(4096)
  .regex(/^\/[^,"\n\0]*$/, 'Give an absolute path without commas and quotes.')

export const ContainerMount = z.strictObject({
  source: MountPath.describe('Folder or file of the host.'),
  target: MountPath.optional().describe('Where it is in the container; absent = at the same path.'),
  writable: z.boolean().default(false).describe('Mounts are for reading only, unless this says otherwise.'),
})
export type ContainerMount = z.infer<typeof ContainerMount>

/** A network of the engine. `host` and `container:NAME` would take the walls down again. */
const NetworkName = z
  .string()
  .max(128)
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/, 'Use "none", or the name of a network of the engine.')
  .refine((name) => name !== 'host', 'The network "host" is not apart from the hub. Name another one.')

export const ContainerIsolation = z.strictObject({
  type: z.literal('container'),
  engine: z.enum(['docker', 'podman']).optional().describe('Absent = Docker where it answers, else Podman.'),
  image: z
    .string()
    .max(512)
    .regex(/^[a-z0-9][\w./:@-]*$/, 'Give an image, for example mcp/fetch or ghcr.io/owner/server:1.2.')
    .optional()
    .describe('Absent = one that brings npx or uvx, where the command is one of these.'),
  network: NetworkName.default('none').describe(
    'none = no network at all; else a network of the engine. What is reachable from it is up to that network.',
  ),
  memoryMb: z.number().int().min(16).max(1_048_576).default(1024).describe('Memory, with /tmp and without swap.'),
  cpus: z.number().min(0.05).max(256).default(1).describe('Processors that it may use.'),
  processes: z.number().int().min(4).max(65_536).default(256).describe('Processes and threads at once.'),
  mounts: z.array(ContainerMount).max(50).default([]).describe('Folders of the host that it sees. It sees no others.'),
  user: z
    .string()
    .regex(/^[1-9]\d{0,9}(:\d{1,10})?$/, 'Give a user as number, or user:group; root is none.')
    .optional()
    .describe('Absent = the user of the hub, or 65532 where the hub is root.'),
})
export type ContainerIsolation = z.infer<typeof ContainerIsolation>

/** What the process of a stdio connector may touch. */
export const Isolation = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('none') }),
    z.strictObject({
      type: z.literal('process'),
      user: z
        .string()
        .regex(/^[a-z_][a-z0-9_-]*$|^[1-9]\d{0,9}(:\d{1,10})?$/, 'Give the name of a user, or uid:gid.')
        .optional()
        .describe('Another user of the machine that it runs as. Only a hub that is root can do this.'),
    }),
    ContainerIsolation,
  ])
  .describe(
    'none = it sees the files of the hub; process = the state of the hub is hidden from it where the platform can do that, and it may be another user; container = it runs on Docker or Podman, and sees what is listed here.',
  )
export type Isolation = z.infer<typeof Isolation>

/** What is kept from the process of a connector, and what is not; in sentences for people. */
export const IsolationView = z.object({
  isolated: z.array(z.string()),
  open: z.array(z.string()),
})
export type IsolationView = z.infer<typeof IsolationView>

/** A mount as a person writes it: `DIR`, `DIR:rw`, `DIR:TARGET` or `DIR:TARGET:rw`; null for another text. */
export function parseMount(text: string): ContainerMount | null {
  const parts = text.split(':')
  const last = parts.at(-1)
  const hasMode = parts.length > 1 && (last === 'rw' || last === 'ro')
  const [source = '', target, ...more] = hasMode ? parts.slice(0, -1) : parts
  if (source === '' || more.length > 0) return null
  return { source, ...(target !== undefined && { target }), writable: hasMode && last === 'rw' }
}

export function formatMount({ source, target, writable }: ContainerMount): string {
  return [source, ...(target === undefined ? [] : [target]), ...(writable ? ['rw'] : [])].join(':')
}

/** The image that a container has where none is named; null where the command says nothing about it. */
export function impliedImage(command: string): string | null {
  const name = command.slice(command.lastIndexOf('/') + 1)
  if (name === 'npx' || name === 'npm' || name === 'node') return 'node:22-slim'
  // https://docs.astral.sh/uv/guides/integration/docker/#available-images
  return name === 'uvx' || name === 'uv' ? 'ghcr.io/astral-sh/uv:python3.13-bookworm-slim' : null
}

/** What a container may touch, line by line: for a plan, the page and the terminal. */
export function describeContainer(isolation: ContainerIsolation, command: string): IsolationView {
  const { image, engine, network, mounts, memoryMb, cpus, processes, user } = isolation
  const place = (mount: ContainerMount) =>
    mount.target === undefined || mount.target === mount.source ? mount.source : `${mount.source} as ${mount.target}`
  const folders = (writable: boolean) => mounts.filter((mount) => mount.writable === writable).map(place)
  const [read, written] = [folders(false), folders(true)]
  return {
    isolated: [
      `runs in a container of ${image ?? impliedImage(command) ?? 'no image yet'}${engine === undefined ? '' : ` on ${engine}`}`,
      'its files are read-only, but for /tmp, which is gone at the end',
      ...(network === 'none' ? ['no network'] : []),
      `at most ${memoryMb} MB of memory, ${cpus} ${cpus === 1 ? 'processor' : 'processors'}, ${processes} processes`,
      `user ${user ?? 'of its own, not root'}, no capabilities, none to be gained`,
      'of the environment, what the connector says',
    ],
    open: [
      ...(network === 'none' ? [] : [`the network '${network}', and all that can be reached from it`]),
      ...(read.length === 0 ? [] : [`reads ${read.join(', ')}`]),
      ...(written.length === 0 ? [] : [`reads and writes ${written.join(', ')}`]),
      'the kernel of the machine, as every container does',
    ],
  }
}
