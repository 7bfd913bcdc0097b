import type { ts } from '@ts-morph/common'
import type { Sources } from '../source/compiler.ts'

/**
 * The members of a union as its author wrote them. The compiler keeps them in the order in which it met them anywhere,
 * which changes with the other files of the program; what is generated must not.
 */
export function orderMembers(type: ts.UnionType, place: ts.Node, sources: Sources): ts.Type[] {
  const { checker } = sources
  const written = [...declarationsOf(type), place].flatMap((node) => membersIn(node, sources))
  const rank = (member: ts.Type) => {
    const index = written.indexOf(member)
    return index < 0 ? written.length : index
  }
  return type.types.toSorted(
    (one, other) =>
      rank(one) - rank(other) ||
      positionOf(one) - positionOf(other) ||
      checker.typeToString(one).localeCompare(checker.typeToString(other), 'en'),
  )
}

function declarationsOf(type: ts.Type): readonly ts.Node[] {
  return type.aliasSymbol?.declarations ?? []
}

/** The types of all members of all unions that are written in a node, unions behind names included. */
function membersIn(node: ts.Node, sources: Sources, seen = new Set<ts.Node>()): ts.Type[] {
  const { ts, checker } = sources
  if (seen.has(node)) return []
  seen.add(node)
  const found: ts.Type[] = []
  const visit = (inner: ts.Node): void => {
    if (ts.isUnionTypeNode(inner)) {
      for (const member of inner.types) {
        const type = checker.getTypeFromTypeNode(member)
        found.push(type)
        for (const declaration of declarationsOf(type)) found.push(...membersIn(declaration, sources, seen))
      }
    }
    // A method's body is no part of its type.
    if (!ts.isBlock(inner)) ts.forEachChild(inner, visit)
  }
  visit(node)
  return found
}

/** Where the member of an enum stands in it. */
function positionOf(type: ts.Type): number {
  return type.symbol?.valueDeclaration?.pos ?? 0
}
