import type { ToolDefinition } from '../component/define.ts'
import type { Schema } from '../schema/schema.ts'
import { requireUiUri } from './ui-resource.ts'

/** How a tool and its view belong together. */
export interface UiLink {
  /** Who may call the tool: the model, the view (`app`), or both, which is the rule. */
  readonly visibility?: readonly ('model' | 'app')[]
}

/**
 * A tool's definition with the view that shows its results.
 * The view itself is served by `apps(uiResource(uri, …))`; hosts without views ignore the link.
 */
export function withUi<
  Input extends Schema | undefined = undefined,
  Output extends Schema | undefined = undefined,
  S = unknown,
>(definition: ToolDefinition<Input, Output, S>, uri: string, link: UiLink = {}): ToolDefinition<Input, Output, S> {
  requireUiUri(uri)
  const ui = { resourceUri: uri, ...(link.visibility !== undefined && { visibility: [...link.visibility] }) }
  return { ...definition, meta: { ...definition.meta, ui } }
}
