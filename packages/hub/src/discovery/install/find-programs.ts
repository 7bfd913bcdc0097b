import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import type { NeededProgram } from '@herma/contract'

const fixes: Record<string, string> = {
  npx: 'Install Node.js, which brings npx: https://nodejs.org',
  bunx: 'Install Bun: https://bun.sh',
  uvx: 'Install uv: https://docs.astral.sh/uv',
  pipx: 'Install pipx: https://pipx.pypa.io',
  docker: 'Install Docker: https://docs.docker.com/get-docker',
  podman: 'Install Podman: https://podman.io',
  dnx: 'Install the .NET SDK, version 10 or newer: https://dotnet.microsoft.com',
}

/** Looks for programs where the hub would look for them. */
export async function findPrograms(
  names: readonly string[],
  path = process.env['PATH'] ?? '',
): Promise<NeededProgram[]> {
  return Promise.all(
    [...new Set(names)].map(async (name) => {
      const found = await findProgram(name, path)
      const fix = found === null ? (fixes[name] ?? `Install '${name}', or put it on the PATH of the hub.`) : null
      return { name, path: found, fix }
    }),
  )
}

async function findProgram(name: string, path: string): Promise<string | null> {
  const candidates =
    isAbsolute(name) || name.includes('/')
      ? [name]
      : path
          .split(delimiter)
          .filter((folder) => folder !== '')
          .map((folder) => join(folder, name))
  for (const candidate of candidates) {
    const isThere = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return candidate
  }
  return null
}
