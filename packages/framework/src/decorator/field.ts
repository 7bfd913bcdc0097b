import type { ToolSignature } from '../component/define.ts'
import type { KindAndDefinition } from './declaration.ts'

// Registered, so that a field made by one copy of this package is understood by another.
const fieldKey: unique symbol = Symbol.for('herma.field')

/** A component that is the value of a field: its key in the instance is its name, unless the definition has one. */
export interface Field {
  readonly [fieldKey]: FieldDeclaration
}

/** A tool that is the value of a field; it carries the types of its schemas for `ToolsIn`. */
export interface ToolField<
  Input = unknown,
  Output = unknown,
  Name extends string | undefined = undefined,
> extends Field {
  /** Never there: both are for the type checker alone. */
  readonly signature?: ToolSignature<Input, Output>
  readonly toolName?: Name
}

export type FieldDeclaration = KindAndDefinition & { readonly handler: (...args: never[]) => unknown }

export function createField(declaration: FieldDeclaration): Field {
  return { [fieldKey]: declaration }
}

export function fieldOf(value: unknown): FieldDeclaration | undefined {
  return typeof value === 'object' && value !== null && fieldKey in value ? (value as Field)[fieldKey] : undefined
}
