import { basename, resolve } from 'node:path'
import { ProjectError } from './project-error.ts'

/** https://docs.npmjs.com/cli/v11/configuring-npm/package-json#name, without scopes. */
const rule = /^[a-z0-9][a-z0-9._~-]{0,213}$/

const reserved = new Set(['node_modules', 'favicon.ico'])

/** The name of the package in a folder: what the folder is called. */
export function projectName(folder: string): string {
  const name = basename(resolve(folder))
  if (rule.test(name) && !reserved.has(name)) return name
  throw new ProjectError(
    `'${name}' cannot name a package. Choose a folder of lower-case letters, digits and - . _ that begins with a letter or digit.`,
  )
}
