import type { MappingRule } from '@herma/contract'
import { isObject } from '../../../wire/index.ts'
import type { ContentBlock, ToolResult } from '../../core/own-tool.ts'
import { decodeJsonText } from '../value/decode-json-text.ts'
import { mapValues } from '../value/map-values.ts'
import { quoteNames } from '../member.ts'
import { fitStructured } from '../value/structured-content.ts'

export interface Shape {
  /** Whose answer this is, for what a model reads: Operation 'read' of 'files'. */
  readonly label: string
  readonly responseMappings?: readonly MappingRule[] | undefined
  /** As the descriptor of the composite has it. */
  readonly outputSchema?: Record<string, unknown> | undefined
}

/** Makes the answer of an aggregate from that of its member. */
export function shapeResult(result: ToolResult, shape: Shape): ToolResult {
  if (result.isError === true) return finishError(result, shape)
  const { responseMappings, outputSchema } = shape
  if ((responseMappings?.length ?? 0) === 0) {
    return finishResult(result, decodeJsonText(result.structuredContent, outputSchema), shape)
  }
  const { value, missing } = mapValues(responseMappings, decodeJsonText(result))
  if (missing.length === 0) return finishResult(result, value, shape)
  return unfit(result, `${shape.label} ran, but its answer lacks ${quoteNames(missing)}, which it should have.`)
}

/** The answer with `candidate` as its structured content, as far as that is legal and the output schema allows. */
export function finishResult(result: ToolResult, candidate: unknown, { label, outputSchema }: Shape): ToolResult {
  const { content, structuredContent: _, ...others } = result
  const blocks = toBlocks(content)
  const present = candidate === null ? undefined : candidate
  if (outputSchema === undefined) {
    const body = blocks.length > 0 ? blocks : [textBlock(present ?? leftOver(others))]
    // Before 2026-07-28 only an object is legal.
    return isObject(present) ? { ...others, content: body, structuredContent: present } : { ...others, content: body }
  }
  const structured = fitStructured(outputSchema, present, blocks)
  if (structured === undefined) {
    return unfit(result, `${label} ran, but gave no structured content that fits its output schema.`)
  }
  return { ...others, content: blocks.length > 0 ? blocks : [textBlock(structured)], structuredContent: structured }
}

/** An error of the member passes as it came; only what would break the output schema is left out. */
function finishError(result: ToolResult, { outputSchema }: Shape): ToolResult {
  const { content, structuredContent, ...others } = result
  const blocks = toBlocks(content)
  const body = blocks.length > 0 ? blocks : [textBlock(structuredContent ?? leftOver(others))]
  const keeps = outputSchema === undefined && isObject(structuredContent)
  return keeps ? { ...others, content: body, structuredContent } : { ...others, content: body }
}

/** JSON for people to read; a text stays as it is. */
export function textBlock(value: unknown): ContentBlock {
  return { type: 'text', text: typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '') }
}

/** Blocks of any type as they came; what is no block becomes text. */
export function toBlocks(content: unknown): ContentBlock[] {
  const entries: readonly unknown[] = Array.isArray(content) ? content : [content]
  return entries.flatMap((entry) => {
    if (entry === undefined || entry === null) return []
    if (isBlock(entry)) return [entry]
    return [{ type: 'text', text: typeof entry === 'string' ? entry : JSON.stringify(entry) }]
  })
}

function isBlock(entry: unknown): entry is ContentBlock {
  return isObject(entry) && typeof entry['type'] === 'string'
}

function leftOver(others: Record<string, unknown>): Record<string, unknown> {
  const { isError: _, _meta, resultType, ...rest } = others
  return rest
}

// What was done is done, so the model is told not to try again.
function unfit(result: ToolResult, problem: string): ToolResult {
  const { structuredContent, content, ...others } = result
  const blocks = toBlocks(content)
  const shown = blocks.length > 0 || structuredContent === undefined ? blocks : [textBlock(structuredContent)]
  return {
    ...others,
    content: [textBlock(`${problem} Do not repeat the call; what it gave follows.`), ...shown],
    isError: true,
  }
}
