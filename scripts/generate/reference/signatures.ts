import type { ts } from '@ts-morph/common'
import type { Sources } from '../../../packages/framework/src/gen/source/compiler.ts'

/** Words, and the code that they are about. */
export interface SignaturePart {
  readonly text: string
  readonly code: string
}

type Callable = ts.SignatureDeclaration

/** Writes declarations as TypeScript without what a caller does not see: bodies, default values, private members. */
export class Signatures {
  readonly #sources: Sources

  constructor(sources: Sources) {
    this.#sources = sources
  }

  of(symbol: ts.Symbol): readonly SignaturePart[] {
    const { ts, checker } = this.#sources
    const declarations = symbol.declarations ?? []
    const functions = declarations.filter((declaration) => ts.isFunctionDeclaration(declaration))
    if (functions.length > 0) return this.#functionParts(symbol, functions)
    const text = ts.displayPartsToString(symbol.getDocumentationComment(checker))
    return [{ text, code: declarations.map((declaration) => this.#write(declaration)).join('\n\n') }]
  }

  #functionParts(symbol: ts.Symbol, functions: readonly ts.FunctionDeclaration[]): readonly SignaturePart[] {
    const parts: { text: string; code: string }[] = []
    for (const declaration of withoutImplementation(functions)) {
      const text = this.#docOf(declaration)
      const code = `function ${symbol.name}${this.#callable(declaration)}`
      const last = parts.at(-1)
      if (text === '' && last !== undefined) last.code += `\n${code}`
      else parts.push({ text, code })
    }
    return [...parts, ...this.#attachedParts(symbol)]
  }

  /** Functions that are properties of a function, such as `tool.auto`. */
  #attachedParts(symbol: ts.Symbol): readonly SignaturePart[] {
    const { ts, checker } = this.#sources
    const attached = [...(symbol.exports?.values() ?? [])]
    return attached.flatMap((property) => {
      const text = ts.displayPartsToString(property.getDocumentationComment(checker))
      const signatures = checker.getTypeOfSymbol(property).getCallSignatures()
      const written = signatures.map((signature) => checker.signatureToString(signature, undefined, this.#flags))
      return written.map((code) => ({ text, code: `namespace ${symbol.name} { function ${property.name}${code} }` }))
    })
  }

  #write(declaration: ts.Declaration): string {
    const { ts } = this.#sources
    if (ts.isClassDeclaration(declaration)) return this.#class(declaration)
    if (ts.isVariableDeclaration(declaration)) {
      return `const ${declaration.name.getText()}: ${this.#constantType(declaration)}`
    }
    return declaration.getText().replace(/^export (?:declare )?/, '')
  }

  #constantType({ name, type, initializer }: ts.VariableDeclaration): string {
    const { ts } = this.#sources
    if (type !== undefined) return type.getText()
    const isConst = initializer !== undefined && ts.isAsExpression(initializer)
    const value = isConst ? initializer.expression : initializer
    if (value === undefined || !ts.isObjectLiteralExpression(value)) return this.#typeAt(name)
    const properties = value.properties.map((property) => {
      const assigned = ts.isPropertyAssignment(property) ? property.initializer : property
      const written = ts.isFunctionLike(assigned) ? this.#callable(assigned) : `: ${this.#typeAt(assigned)}`
      return `${this.#commentsOf(property)}${isConst ? 'readonly ' : ''}${property.name?.getText()}${written}`
    })
    return `{\n${properties.join('\n')}\n}`
  }

  #class(declaration: ts.ClassDeclaration): string {
    const { ts } = this.#sources
    const { name, typeParameters, heritageClauses = [], members } = declaration
    const seen = members.filter((member) => !isHidden(member, ts))
    const written = [
      ...seen
        .filter((member) => ts.isConstructorDeclaration(member))
        .flatMap((made) => this.#parameterProperties(made)),
      ...seen.map((member) => this.#member(member)),
    ]
    const head = ['class', `${name?.text}${list(typeParameters)}`, ...heritageClauses.map((clause) => clause.getText())]
    return `${head.join(' ')} {\n${written.filter((line) => line !== '').join('\n')}\n}`
  }

  #parameterProperties({ parameters }: ts.ConstructorDeclaration): string[] {
    return parameters
      .filter(({ modifiers }) => modifiers !== undefined && !/private|protected/.test(textOf(modifiers)))
      .map((parameter) => `${textOf(parameter.modifiers!)} ${this.#parameter(parameter)}`)
  }

  #member(member: ts.ClassElement): string {
    const { ts } = this.#sources
    const comments = this.#commentsOf(member)
    const isStatic = ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Static ? 'static ' : ''
    if (ts.isConstructorDeclaration(member)) return `${comments}constructor(${this.#parameters(member)})`
    const name = member.name?.getText()
    if (ts.isMethodDeclaration(member)) return `${comments}${isStatic}${name}${this.#callable(member)}`
    if (ts.isGetAccessor(member)) return `${comments}${isStatic}readonly ${name}: ${this.#typeAt(member)}`
    if (!ts.isPropertyDeclaration(member)) return ''
    const readonly = ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Readonly ? 'readonly ' : ''
    const type = member.type?.getText() ?? this.#typeAt(member)
    return `${comments}${isStatic}${readonly}${name}${member.questionToken ? '?' : ''}: ${type}`
  }

  #callable(node: Callable): string {
    const { checker } = this.#sources
    const signature = checker.getSignatureFromDeclaration(node)
    const inferred = () => checker.typeToString(signature!.getReturnType(), undefined, this.#flags)
    return `${list(node.typeParameters)}(${this.#parameters(node)}): ${node.type?.getText() ?? inferred()}`
  }

  #parameters({ parameters }: Callable): string {
    return parameters.map((parameter) => this.#parameter(parameter)).join(', ')
  }

  /** A parameter with a default value is optional to a caller; one that is taken apart at once has no name. */
  #parameter(parameter: ts.ParameterDeclaration): string {
    const { ts } = this.#sources
    const { name, dotDotDotToken, questionToken, initializer, type } = parameter
    const called = ts.isIdentifier(name) ? name.text : 'options'
    const optional = questionToken !== undefined || initializer !== undefined ? '?' : ''
    return `${dotDotDotToken ? '...' : ''}${called}${optional}: ${type?.getText() ?? this.#typeAt(parameter)}`
  }

  #typeAt(node: ts.Node): string {
    const { checker } = this.#sources
    return checker.typeToString(checker.getTypeAtLocation(node), undefined, this.#flags)
  }

  #docOf(node: ts.Node): string {
    const { ts } = this.#sources
    const [comment] = ts.getJSDocCommentsAndTags(node).filter((found) => ts.isJSDoc(found))
    return ts.getTextOfJSDocComment(comment?.comment) ?? ''
  }

  #commentsOf(node: ts.Node): string {
    const { ts } = this.#sources
    const comments = ts.getJSDocCommentsAndTags(node).filter((found) => ts.isJSDoc(found))
    return comments.map((comment) => `${comment.getText()}\n`).join('')
  }

  get #flags(): ts.TypeFormatFlags {
    const { TypeFormatFlags } = this.#sources.ts
    return TypeFormatFlags.NoTruncation | TypeFormatFlags.UseSingleQuotesForStringLiteralType
  }
}

/** True for what is not for users of a class. */
export function isHidden(member: ts.ClassElement, ts: Sources['ts']): boolean {
  const isInner = ts.getCombinedModifierFlags(member) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)
  return isInner !== 0 || (member.name !== undefined && ts.isPrivateIdentifier(member.name))
}

/** Of an overloaded function callers see the overloads only. */
function withoutImplementation(functions: readonly ts.FunctionDeclaration[]): readonly ts.FunctionDeclaration[] {
  const overloads = functions.filter(({ body }) => body === undefined)
  return overloads.length > 0 ? overloads : functions
}

function list(parameters: readonly ts.Node[] | undefined): string {
  return parameters === undefined ? '' : `<${parameters.map((parameter) => parameter.getText()).join(', ')}>`
}

function textOf(nodes: readonly ts.Node[]): string {
  return nodes.map((node) => node.getText()).join(' ')
}
