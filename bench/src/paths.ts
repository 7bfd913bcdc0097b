import { fileURLToPath } from 'node:url'

// Everything is bundled into bench/dist, so that paths are relative to that folder.
const fromDist = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** A built program of this bench. */
export const programPath = (name: string) => fromDist(`./${name}.js`)

/** Where the npm peers live; apart from the workspaces, since hundreds of megabytes are of no use to anybody else. */
export const peersPath = (path: string) => fromDist(`../peers/${path}`)

export const hubPath = () => fromDist('../../packages/hub/bin/herma.js')

export const resultsPath = () => fromDist('../results/latest.json')

export const reportPath = () => fromDist('../RESULTS.md')
