import type { WebSearch } from '@herma/contract'
import { isObject, type ToolResult } from '../../../wire/index.ts'

type Result = WebSearch['results'][number]

const maxResults = 50
const maxSnippetLength = 2000

/** Reads what tools of search answer: lists of objects in JSON, or text with titles and addresses. */
export function readSearchResults({ structuredContent }: ToolResult, text: string): WebSearch {
  for (const value of [structuredContent, parseJson(text)]) {
    const results = findList(value, 0)
    if (results.length > 0) return { answer: answerOf(value), results: results.slice(0, maxResults) }
  }
  const results = readBlocks(text)
  return { answer: results.length > 0 ? null : text, results: results.slice(0, maxResults) }
}

/** The first list of things that have an address, however deep the server put it. */
function findList(value: unknown, depth: number): Result[] {
  if (depth > 4) return []
  if (Array.isArray(value)) {
    const results = value.flatMap(toResult)
    return results.length > 0 ? results : firstOf(value, depth)
  }
  return isObject(value) ? firstOf(Object.values(value), depth) : []
}

function firstOf(values: readonly unknown[], depth: number): Result[] {
  for (const value of values) {
    const results = findList(value, depth + 1)
    if (results.length > 0) return results
  }
  return []
}

function toResult(value: unknown): Result[] {
  if (!isObject(value)) return []
  const url = textIn(value, ['url', 'link', 'href', 'uri'])
  if (!/^https?:\/\//.test(url)) return []
  const snippet = textIn(value, ['snippet', 'description', 'content', 'text', 'summary', 'highlight'])
  return [
    { title: textIn(value, ['title', 'name', 'heading']) || url, url, snippet: snippet.slice(0, maxSnippetLength) },
  ]
}

function textIn(value: Record<string, unknown>, names: readonly string[]): string {
  const found = names.map((name) => value[name]).find((field) => typeof field === 'string' && field !== '')
  return typeof found === 'string' ? found : ''
}

function answerOf(value: unknown): string | null {
  const answer = isObject(value) ? textIn(value, ['answer', 'summary']) : ''
  return answer === '' ? null : answer
}

/** `Title: …`, `URL: …`, `Description: …` one below the other, or links of Markdown. */
function readBlocks(text: string): Result[] {
  const labelled = [...text.matchAll(/^\W*(title|url|link|description|snippet|summary|content)\W*?:\s*(.+)$/gim)]
  const blocks: { title: string; url: string; snippet: string }[] = []
  for (const [, label = '', value = ''] of labelled) {
    const kind = label.toLowerCase()
    const last = blocks.at(-1)
    if (kind === 'title') blocks.push({ title: value.trim(), url: '', snippet: '' })
    else if (last === undefined) continue
    else if (kind === 'url' || kind === 'link') last.url ||= value.trim()
    else last.snippet ||= value.trim().slice(0, maxSnippetLength)
  }
  const whole = blocks.filter(({ url }) => /^https?:\/\//.test(url))
  return whole.length > 0 ? whole : readLinks(text)
}

function readLinks(text: string): Result[] {
  return [
    ...text.matchAll(/\[([^\]\n]{1,300})\]\((https?:\/\/[^\s)]{1,2000})\)[ \t]*[-\u2013\u2014:]?[ \t]*(.*)/g),
  ].map(([, title = '', url = '', snippet = '']) => ({
    title,
    url,
    snippet: snippet.trim().slice(0, maxSnippetLength),
  }))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Most answers are words.
    return undefined
  }
}
