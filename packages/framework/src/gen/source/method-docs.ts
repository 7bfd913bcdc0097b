import type { ts } from '@ts-morph/common'
import type { Compiler } from './compiler.ts'
import { type DocTag, isDocTag } from './doc-tags.ts'
import { Problem } from './problem.ts'

/** What the JSDoc of a method says. */
export interface MethodDocs {
  readonly title?: string
  readonly description?: string
  /** By the name of the parameter. */
  readonly parameters: ReadonlyMap<string, ParameterDocs>
}

export interface ParameterDocs {
  readonly description: string
  readonly tags: readonly DocTag[]
  readonly node: ts.Node
}

/** Reads the JSDoc above a method. A tag like `@minimum` belongs to the `@param` before it. */
export function readMethodDocs(ts: Compiler, method: ts.MethodDeclaration): MethodDocs {
  const docs = ts.getJSDocCommentsAndTags(method).filter(ts.isJSDoc).at(-1)
  const parameters = new Map<string, { description: string; tags: DocTag[]; node: ts.Node }>()
  let title: string | undefined
  let current: { tags: DocTag[] } | undefined
  for (const tag of docs?.tags ?? []) {
    const text = textOf(ts, tag.comment)
    if (ts.isJSDocParameterTag(tag)) {
      const described = { description: text.replace(/^-\s*/, ''), tags: [], node: tag }
      parameters.set(nameOf(ts, tag.name), described)
      current = described
    } else if (ts.isJSDocReturnTag(tag)) current = undefined
    else if (isDocTag(tag.tagName.text)) {
      if (current !== undefined) current.tags.push({ name: tag.tagName.text, text, node: tag })
      else if (tag.tagName.text === 'title') title = text
      // How a method is used, and that it is old, is for its readers.
      else if (!['example', 'deprecated'].includes(tag.tagName.text)) {
        throw new Problem(
          tag,
          `@${tag.tagName.text} stands behind no @param, so that it is unclear what it is about.`,
          'Move it behind the @param that it belongs to.',
        )
      }
    }
  }
  const description = textOf(ts, docs?.comment)
  return { ...(title !== undefined && { title }), ...(description !== '' && { description }), parameters }
}

/** Documents of `options.limit` are those of `limit`. */
function nameOf(ts: Compiler, name: ts.EntityName): string {
  return ts.isIdentifier(name) ? name.text : name.right.text
}

function textOf(ts: Compiler, comment: string | ts.NodeArray<ts.JSDocComment> | undefined): string {
  return (ts.getTextOfJSDocComment(comment) ?? '').trim()
}
