import { fileURLToPath } from 'node:url'

// Everything is bundled into bench/dist, so that paths are relative to that folder.
const fromDist = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** A path inside the bench. */
export const benchPath = (path: string) => fromDist(`../${path}`)

/** A path inside the repository. */
export const repositoryPath = (path: string) => fromDist(`../../${path}`)
