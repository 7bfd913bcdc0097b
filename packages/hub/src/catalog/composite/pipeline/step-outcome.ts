import type { ContentBlock, ToolResult } from '../../core/own-tool.ts'
import { parseJsonText } from '../value/decode-json-text.ts'
import { toBlocks, textBlock } from '../aggregate/shape-result.ts'

/** What later steps see of a step, as `{{ steps.id.… }}`. */
export interface StepOutcome {
  readonly text: string
  readonly structured: unknown
  /** The text as JSON; undefined when it is none. */
  readonly json: unknown
  readonly content: readonly ContentBlock[]
  readonly isError: boolean
  /** Of a step with forEach: the outcome of each, in the order of the list. */
  readonly items?: readonly StepOutcome[]
}

export function toOutcome(result: ToolResult): StepOutcome {
  const content = toBlocks(result.content)
  const text = content.flatMap((block) => (typeof block['text'] === 'string' ? [block['text']] : [])).join('\n')
  return {
    text,
    structured: result.structuredContent,
    // Parsed when it is asked for: most texts are not.
    get json() {
      return parseJsonText(text)
    },
    content,
    isError: result.isError === true,
  }
}

/** The outcome of a step with forEach. */
export function joinOutcomes(items: readonly StepOutcome[]): StepOutcome {
  return {
    text: items.map(({ text }) => text).join('\n'),
    structured: items.map(({ structured }) => structured ?? null),
    get json() {
      return items.map(({ json }) => json ?? null)
    },
    content: items.flatMap(({ content }) => content),
    isError: items.some(({ isError }) => isError),
    items,
  }
}

/** The result of a step with forEach, when it is the last. */
export function joinedResult(outcome: StepOutcome): ToolResult {
  const results = (outcome.items ?? []).map(({ structured, text }) => structured ?? text)
  return {
    content: outcome.content.length > 0 ? outcome.content : [textBlock('There was nothing to do.')],
    structuredContent: { results },
    ...(outcome.isError ? { isError: true } : {}),
  }
}
