import { relative, sep } from 'node:path'
import type { ts } from '@ts-morph/common'
import type { Sources } from '../../../packages/framework/src/gen/source/compiler.ts'
import { findReferences, type References } from './references.ts'
import { Signatures, type SignaturePart } from './signatures.ts'

/** In the order in which a page shows them. */
export const nameKinds = ['function', 'constant', 'class', 'interface', 'type'] as const

export type NameKind = (typeof nameKinds)[number]

/** A name of the package, with everything that a page says of it. */
export interface PublicName {
  readonly name: string
  readonly kind: NameKind
  /** The first sentence of its JSDoc; empty when there is none. */
  readonly summary: string
  /** One for most; a function has one for each overload with words of its own. */
  readonly parts: readonly SignaturePart[]
  /** Relative to the package. */
  readonly file: string
  readonly line: number
  readonly references: References
  readonly symbol: ts.Symbol
}

/** Reads the names that modules of a package export, and those that their signatures mention. */
export class PublicNames {
  readonly #sources: Sources
  readonly #folder: string
  readonly #signatures: Signatures
  readonly #known = new Map<ts.Symbol, PublicName>()

  constructor(sources: Sources, folder: string) {
    this.#sources = sources
    this.#folder = folder
    this.#signatures = new Signatures(sources)
  }

  /** What a module exports, in the order of the alphabet. */
  of(file: string): readonly PublicName[] {
    const { program, checker } = this.#sources
    const source = program.getSourceFile(file)
    const symbol = source && checker.getSymbolAtLocation(source)
    if (symbol === undefined) throw new Error(`${file} is missing or exports nothing.`)
    return inOrder(checker.getExportsOfModule(symbol).map((exported) => this.#describe(exported, exported.name)))
  }

  /**
   * Names that are needed to read these and that none of the pages has, with those that they need in turn. How a type is
   * computed is left to the sources.
   */
  behind(names: readonly PublicName[], onPages: ReadonlySet<ts.Symbol>): readonly PublicName[] {
    const found = new Map<ts.Symbol, PublicName>()
    const visit = ({ references }: PublicName) => {
      for (const symbol of references.own) {
        if (onPages.has(symbol) || found.has(symbol)) continue
        const name = this.#describe(symbol, symbol.name)
        found.set(symbol, name)
        if (!this.#isComputed(symbol)) visit(name)
      }
    }
    names.forEach(visit)
    return inOrder([...found.values()])
  }

  #describe(exported: ts.Symbol, name: string): PublicName {
    const { ts, checker } = this.#sources
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
    const known = this.#known.get(symbol)
    if (known?.name === name) return known
    const declaration = symbol.declarations?.[0]
    if (declaration === undefined) throw new Error(`'${name}' is exported and declared nowhere.`)
    const source = declaration.getSourceFile()
    const parts = this.#signatures.of(symbol)
    const described: PublicName = {
      name,
      kind: this.#kindOf(declaration),
      summary: firstSentence(parts[0]?.text ?? ''),
      parts,
      file: relative(this.#folder, source.fileName).replaceAll(sep, '/'),
      line: source.getLineAndCharacterOfPosition(declaration.getStart()).line + 1,
      references: findReferences(symbol, this.#sources, (path) => !relative(this.#folder, path).startsWith('..')),
      symbol,
    }
    this.#known.set(symbol, described)
    return described
  }

  #isComputed(symbol: ts.Symbol): boolean {
    const { ts } = this.#sources
    const declaration = symbol.declarations?.find((candidate) => ts.isTypeAliasDeclaration(candidate))
    return (
      declaration !== undefined && (ts.isConditionalTypeNode(declaration.type) || ts.isMappedTypeNode(declaration.type))
    )
  }

  #kindOf(declaration: ts.Declaration): NameKind {
    const { ts } = this.#sources
    if (ts.isFunctionDeclaration(declaration)) return 'function'
    if (ts.isVariableDeclaration(declaration)) return 'constant'
    if (ts.isClassDeclaration(declaration)) return 'class'
    return ts.isInterfaceDeclaration(declaration) ? 'interface' : 'type'
  }
}

function firstSentence(text: string): string {
  const line = text.split('\n\n')[0]!.replaceAll('\n', ' ')
  return /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line
}

/** By letters, whatever their case; a locale would make it depend on the machine. */
function inOrder(names: readonly PublicName[]): readonly PublicName[] {
  const key = ({ name }: PublicName) => `${name.toLowerCase()} ${name}`
  return [...names].sort((one, other) => (key(one) < key(other) ? -1 : 1))
}
