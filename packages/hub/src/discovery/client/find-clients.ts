import type { ClientConfig } from '../client-config.ts'
import { clientPlaces, projectPlace, type ClientPlace, type ClientMachine } from './client-places.ts'
import { readClientFile } from './read-client-file.ts'

/** A client's configuration as it was found. */
export interface FoundClient extends ClientPlace, ClientConfig {
  readonly exists: boolean
  readonly problem: string | null
}

/** Looks at the configuration files of all known clients, and of the projects that Claude Code knows. */
export async function findClients(machine: ClientMachine): Promise<FoundClient[]> {
  const places = clientPlaces(machine)
  const found = await Promise.all(places.map(async (place) => ({ place, file: await readClientFile(place.file) })))
  const known = new Set(places.map(({ id }) => id))
  const clients: FoundClient[] = []
  for (const { place, file } of found) {
    const { projects, ...config } = file
    clients.push({ ...place, ...config })
    for (const [folder, own] of projects) clients.push(...(await readProject(folder, { own, file: place.file, known })))
  }
  // An absent file of the folder that the hub happens to run in is no news.
  return clients.filter(({ id, exists }) => exists || !id.includes(':'))
}

async function readProject(
  folder: string,
  { own, file, known }: { own: ClientConfig; file: string; known: Set<string> },
): Promise<FoundClient[]> {
  const personal = { id: `claude-code-local:${folder}`, title: `Claude Code in ${folder}`, file }
  const clients: FoundClient[] =
    own.servers.length + own.failed.length === 0 ? [] : [{ ...personal, exists: true, problem: null, ...own }]
  const place = projectPlace(folder)
  if (known.has(place.id)) return clients
  known.add(place.id)
  const { projects: _projects, ...config } = await readClientFile(place.file)
  return [...clients, { ...place, ...config }]
}
