import { access } from 'node:fs/promises'
import type { NpmPackages } from '../runner/programs.ts'

/** Path of a program that an npm package has for this platform; one that is not there cannot be had. */
export async function findBinary({ file }: NpmPackages, packageName: string, path: string): Promise<string> {
  const program = file(packageName, path)
  try {
    await access(program)
    return program
  } catch (cause) {
    throw new Error(`npm has no ${packageName} for this platform.`, { cause })
  }
}

/** The name of this platform in most npm packages. */
export const platformName = `${process.platform}-${process.arch}`
