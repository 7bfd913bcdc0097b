import { open } from 'node:fs/promises'
import { HubError } from '@herma/contract'
import { findServerMap, isObject, readServers, type ClientConfig, type Fields } from '../client-config.ts'
import { parseClientText } from '../parse-client-text.ts'

/** What a configuration file holds. */
export interface ClientFile extends ClientConfig {
  readonly exists: boolean
  /** Why it could not be read. */
  readonly problem: string | null
  /** Claude Code keeps servers for each folder besides those for all, and remembers the folders. */
  readonly projects: ReadonlyMap<string, ClientConfig>
}

const maxBytes = 8 * 1024 * 1024
const maxProjects = 100
const nothing: ClientFile = { exists: false, problem: null, servers: [], failed: [], projects: new Map() }

/** Reads a configuration file and never writes it. One that is broken is told with its reason. */
export async function readClientFile(file: string): Promise<ClientFile> {
  try {
    const text = await readText(file)
    if (text === null) return nothing
    if (text.trim() === '') return { ...nothing, exists: true }
    const value = parseClientText(text, file)
    if (!isObject(value)) throw new HubError('PARSE_ERROR', `${file} holds no object.`)
    return { ...nothing, exists: true, ...readMap(value), projects: readProjects(value['projects']) }
  } catch (error) {
    if (error instanceof HubError) return { ...nothing, exists: true, problem: error.message }
    const { code, message } = error as NodeJS.ErrnoException
    const next = code === 'EACCES' ? ' Let the user of the hub read it.' : ''
    return { ...nothing, exists: true, problem: `${file} cannot be read: ${message}.${next}` }
  }
}

// A file of settings without any server is a good file.
function readMap(value: Fields): ClientConfig {
  const map = findServerMap(value)
  if (map === undefined) return { servers: [], failed: [] }
  if (!isObject(map)) throw new HubError('PARSE_ERROR', 'Its servers are no object of names and servers.')
  return readServers(map)
}

function readProjects(value: unknown): Map<string, ClientConfig> {
  if (!isObject(value)) return new Map()
  const folders = Object.entries(value).filter(([folder]) => folder.startsWith('/'))
  const projects = folders.map(([folder, project]): [string, ClientConfig] => {
    const servers = isObject(project) && isObject(project['mcpServers']) ? project['mcpServers'] : {}
    return [folder, readServers(servers)]
  })
  return new Map(projects.slice(0, maxProjects))
}

async function readText(file: string): Promise<string | null> {
  let handle
  try {
    handle = await open(file, 'r')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  }
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw new HubError('PARSE_ERROR', `${file} is no file.`)
    if (stats.size > maxBytes) throw new HubError('PARSE_ERROR', `${file} is larger than ${maxBytes} bytes.`)
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}
