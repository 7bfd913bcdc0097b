import { relative } from 'node:path'
import type { ts } from '@ts-morph/common'

/** What cannot become a schema, where it stands, and what to write instead. */
export class Problem extends Error {
  override readonly name = 'Problem'
  constructor(
    readonly node: ts.Node,
    message: string,
    readonly fix: string,
  ) {
    super(message)
  }

  /** One line in the form that editors and terminals make a link of: `file:line:column message fix`. */
  describe(folder: string): string {
    const source = this.node.getSourceFile()
    const { line, character } = source.getLineAndCharacterOfPosition(this.node.getStart(source))
    return `${relative(folder, source.fileName)}:${line + 1}:${character + 1} ${this.message} ${this.fix}`
  }
}

/** Sources that schemas cannot be made of; nothing was written. Its message has one line for each problem. */
export class GenerateError extends Error {
  override readonly name = 'GenerateError'
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'))
  }
}
