import { basename } from 'node:path'
import type { GeneratedMethods } from '../decorator/generated.ts'
import type { Compiler } from './source/compiler.ts'
import { literalValue } from './source/literal-value.ts'

/** The classes of one source with what is generated for them. */
export type Sidecar = Readonly<Record<string, GeneratedMethods>>

/**
 * The sidecar of `notes.ts` is `notes.gen.ts`: a module, and not JSON, because every tool that builds or runs the source
 * follows an import of it, and because Node 20 warns of imported JSON.
 */
export function sidecarPath(source: string): string {
  return source.replace(/\.([cm]?)tsx?$/, '.gen.$1ts')
}

export function writeSidecar(source: string, sidecar: Sidecar): string {
  const classes = Object.entries(sidecar).map(
    ([name, methods]) => `export const ${name} = ${JSON.stringify(methods, null, 2)} as const\n`,
  )
  return `// ${mark} from ${basename(source)}. Do not edit it: change the source, then run npx herma-gen.\n\n${classes.join('\n')}`
}

const mark = 'Written by herma-gen'

export function isSidecar(text: string): boolean {
  return text.includes(mark)
}

/** What a sidecar says, whatever a formatter made of its looks. Undefined when it was edited into something else. */
export function readSidecar(ts: Compiler, text: string): Sidecar | undefined {
  const entries: [string, GeneratedMethods][] = []
  for (const statement of ts.createSourceFile('sidecar.ts', text, ts.ScriptTarget.ES2022).statements) {
    if (!ts.isVariableStatement(statement)) return undefined
    for (const { name, initializer } of statement.declarationList.declarations) {
      const value = initializer === undefined ? undefined : literalValue(ts, initializer)
      if (value === undefined || !ts.isIdentifier(name)) return undefined
      entries.push([name.text, value as GeneratedMethods])
    }
  }
  return Object.fromEntries(entries)
}
