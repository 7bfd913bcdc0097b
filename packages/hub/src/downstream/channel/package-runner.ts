import { basename } from 'node:path'

/** Words after a command that make it run a package, which it installs first where need be. */
const runners: Readonly<Record<string, readonly (readonly string[])[]>> = {
  npx: [[]],
  bunx: [[]],
  uvx: [[]],
  pnpx: [[]],
  npm: [['exec'], ['x']],
  pnpm: [['dlx']],
  yarn: [['dlx']],
  bun: [['x']],
  uv: [['run'], ['tool', 'run']],
  pipx: [['run']],
  docker: [['run'], ['container', 'run']],
  podman: [['run'], ['container', 'run']],
}

interface Started {
  readonly command: string
  readonly args: readonly string[]
}

/** True for a command whose start may be an install of minutes. */
export function runsPackage({ command, args }: Started): boolean {
  const words = args.filter((arg) => !arg.startsWith('-'))
  return runners[nameOf(command)]?.some((wanted) => wanted.every((word, index) => words[index] === word)) ?? false
}

/** True where that is npm's. */
export function runsNpx({ command, args }: Started): boolean {
  const name = nameOf(command)
  return name === 'npx' || (name === 'npm' && runsPackage({ command, args }))
}

function nameOf(command: string): string {
  return basename(command).replace(/\.(cmd|exe|ps1)$/i, '')
}
