import type { Caller } from '../../wire/index.ts'
import type { ToolContext } from '../core/own-tool.ts'

/** A resource as a list has it. */
export interface LibraryEntry {
  readonly uri: string
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly server: string
}

/** A part of a resource: text, or bytes in base64. */
export interface LibraryContent {
  readonly uri?: string | undefined
  readonly mimeType?: string | undefined
  readonly text?: string | undefined
  readonly blob?: string | undefined
}

/** The resources of the catalog, as far as a caller may see them. */
export interface ResourceLibrary {
  list(caller: Caller): Iterable<LibraryEntry>
  /** Rejects with RESOURCE_NOT_FOUND when nobody has it. */
  read(uri: string, context: ToolContext): Promise<{ readonly contents: readonly LibraryContent[] }>
}
