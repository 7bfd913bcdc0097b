import type { ts } from '@ts-morph/common'
import type { Sources } from '../../../packages/framework/src/gen/source/compiler.ts'
import { isHidden } from './signatures.ts'

/** The types that a signature names. */
export interface References {
  /** Of the package itself. */
  readonly own: ReadonlySet<ts.Symbol>
  /** Of other packages: the package, then the names. */
  readonly foreign: ReadonlyMap<string, ReadonlySet<string>>
}

/** Finds the types that the declarations of a name mention where a reader sees them: not in bodies or default values. */
export function findReferences(symbol: ts.Symbol, sources: Sources, isOwn: (path: string) => boolean): References {
  const { ts, checker } = sources
  const own = new Set<ts.Symbol>()
  const foreign = new Map<string, Set<string>>()

  const mention = (name: ts.Node) => {
    const local = checker.getSymbolAtLocation(name)
    if (local === undefined || local.flags & ts.SymbolFlags.TypeParameter) return
    const specifier = importedFrom(local, ts)
    if (specifier !== undefined && !specifier.startsWith('.')) {
      if (!specifier.startsWith('node:')) foreign.set(specifier, (foreign.get(specifier) ?? new Set()).add(local.name))
      return
    }
    const target = local.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(local) : local
    const path = target.declarations?.[0]?.getSourceFile().fileName
    if (path !== undefined && isOwn(path) && !path.includes('/typescript-lib/') && target !== symbol) own.add(target)
  }

  const visit = (node: ts.Node) => {
    if (ts.isClassElement(node) && isHidden(node, ts)) return
    if (ts.isPropertySignature(node) && isKeyedBySymbol(node, ts)) return
    if (ts.isTypeReferenceNode(node)) mention(node.typeName)
    if (ts.isExpressionWithTypeArguments(node)) mention(node.expression)
    if (ts.isTypeQueryNode(node)) mention(node.exprName)
    const unseen = unseenIn(node, ts)
    ts.forEachChild(node, (child) => void (child !== unseen && visit(child)))
  }
  for (const declaration of symbol.declarations ?? []) visit(declaration)
  for (const attached of symbol.exports?.values() ?? []) {
    // `tool.auto = function …`: what is declared is the left side, what is called is the right.
    const assignment = attached.valueDeclaration?.parent
    if (assignment !== undefined && ts.isBinaryExpression(assignment)) visit(assignment.right)
  }
  return { own, foreign }
}

function importedFrom(symbol: ts.Symbol, ts: Sources['ts']): string | undefined {
  const declaration = symbol.declarations?.[0]
  if (declaration === undefined || !ts.isImportSpecifier(declaration)) return undefined
  const { moduleSpecifier } = declaration.parent.parent.parent
  return ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : undefined
}

/** A property under a symbol that only the package has is nobody else's business. */
function isKeyedBySymbol({ name }: ts.PropertySignature, ts: Sources['ts']): boolean {
  return ts.isComputedPropertyName(name) && ts.isIdentifier(name.expression)
}

function unseenIn(node: ts.Node, ts: Sources['ts']): ts.Node | undefined {
  if (ts.isParameter(node) || ts.isPropertyDeclaration(node)) return node.initializer
  return ts.isFunctionLike(node) && 'body' in node ? node.body : undefined
}
