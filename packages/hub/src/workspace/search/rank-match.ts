import { isWord, type Matcher } from './compile-query.ts'
import type { LineMatch } from './find-matches.ts'

/** Words of many languages after which the name of something new follows. */
const definition =
  /(?:^|[\s(<{;,])(?:function\*?|class|interface|type|enum|const|let|var|val|def|defp|defmodule|defmacro|fn|func|fun|struct|trait|impl|mod|module|namespace|package|object|record|union|protocol|extension|sub|method|macro_rules!|create table|create view)\s+(?:\([^()]{0,80}\)\s*)?(?:[\w.]{1,40}\.)?$/i

/** Tells whether a match is the name of what its line defines. */
export function isDefinition({ text, start, end }: LineMatch): boolean {
  if (isWord(text[start - 1]) || isWord(text[end])) return false
  const before = text.slice(Math.max(start - 120, 0), start)
  return definition.test(before) || isMethod(before, text.slice(end, end + 200))
}

// `name(…) {` and `name = (…) =>` with nothing but modifiers before them.
function isMethod(before: string, after: string): boolean {
  if (
    !/^\s*(?:(?:export|default|public|private|protected|internal|static|async|readonly|override|final|abstract|pub|get|set|#)\s*)*$/.test(
      before,
    )
  ) {
    return false
  }
  return (
    /^\s*(?:<[^>]{0,80}>)?\([^;]{0,150}\)[^;()]{0,60}\{\s*$/.test(after) ||
    /^\s*[:=]\s*(?:async\s*)?(?:function\b|\([^;]{0,100}=>)/.test(after)
  )
}

/** Whether what is searched is the name of a file, spelt in any way (`runCommand`, `run-command.ts`), or a part of it. */
export function matchName(path: string, query: string, matcher: Matcher): 'whole' | 'part' | null {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (squeeze(name.replace(/(?!^)\..*$/, '')) === squeeze(query)) return 'whole'
  return matcher.find(name, 0) === null ? null : 'part'
}

/** How much a path speaks for its matches: it is named like what is searched, or it is only about tests. */
export function rankPath(path: string, name: ReturnType<typeof matchName>): number {
  const isSide = /(^|\/)(tests?|__tests__|spec|fixtures?|testdata|vendor|third_party|dist|build|generated)\//.test(path)
  const isTest = /[._-](test|spec)\.\w+$|(^|\/)test_[^/]*$/.test(path)
  return (isSide || isTest ? -1 : 0) + (name === 'whole' ? 4 : name === 'part' ? 2 : 0)
}

function squeeze(name: string): string {
  return name.replaceAll(/[-_. ]/g, '').toLowerCase()
}

export function rankMatch(match: LineMatch): number {
  if (isDefinition(match)) return 8
  return isWord(match.text[match.start - 1]) || isWord(match.text[match.end]) ? 0 : 1
}
