import type { ts } from '@ts-morph/common'
import type { Sources } from './compiler.ts'

/** A method with `@tool.auto()` or `@prompt.auto()`. */
export interface AutoMethod {
  readonly kind: 'tool' | 'prompt'
  readonly node: ts.MethodDeclaration
}

/** A class with such methods. */
export interface AutoClass {
  readonly node: ts.ClassLikeDeclaration
  readonly methods: readonly AutoMethod[]
}

/** The classes of a source that have `auto` methods, wherever in it they stand. */
export function findAutoClasses(source: ts.SourceFile, sources: Sources): AutoClass[] {
  const { ts } = sources
  const found: AutoClass[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isClassLike(node)) {
      const methods = node.members.flatMap((member) => {
        const kind = ts.isMethodDeclaration(member) ? autoKind(member, sources) : undefined
        return kind === undefined ? [] : [{ kind, node: member as ts.MethodDeclaration }]
      })
      if (methods.length > 0) found.push({ node, methods })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function autoKind(method: ts.MethodDeclaration, sources: Sources): AutoMethod['kind'] | undefined {
  const { ts } = sources
  for (const { expression } of ts.getDecorators(method) ?? []) {
    if (!ts.isCallExpression(expression) || !ts.isPropertyAccessExpression(expression.expression)) continue
    const { name, expression: owner } = expression.expression
    const kind = name.text === 'auto' ? importedName(owner, sources) : undefined
    if (kind === 'tool' || kind === 'prompt') return kind
  }
  return undefined
}

/** The name that something has where it comes from: `import { tool as t }` and `herma.tool` are both `tool`. */
function importedName(node: ts.Expression, { ts, checker }: Sources): string | undefined {
  if (ts.isPropertyAccessExpression(node)) return node.name.text
  if (!ts.isIdentifier(node)) return undefined
  const declaration = checker.getSymbolAtLocation(node)?.declarations?.[0]
  if (declaration === undefined || !ts.isImportSpecifier(declaration)) return node.text
  return (declaration.propertyName ?? declaration.name).text
}
