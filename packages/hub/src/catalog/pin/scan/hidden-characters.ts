import type { Severity } from '@herma/contract'
import { isConfusable } from './confusables.ts'

/** A finding before it is known where its text stands. */
export interface TextFinding {
  readonly rule: string
  readonly severity: Severity
  readonly at: number
  readonly length: number
  readonly message: string
}

const plain = /^[\t\n\r\x20-\x7e]*$/

/**
 * Finds characters that a person does not see but a model reads, and letters that pretend to be others. What has an
 * honest use passes: joiners in emoji and in scripts that need them, flags, marks of direction in right-to-left text.
 */
export function findHiddenCharacters(text: string): TextFinding[] {
  if (plain.test(text)) return []
  const findings = rules.flatMap(({ rule, severity, pattern, message, isHonest }) => {
    const found = firstMatch(text, pattern, isHonest)
    return found === null
      ? []
      : [{ rule, severity, at: found.at, length: found.text.length, message: message(found.text) }]
  })
  const word = findMixedWord(text)
  return word === null ? findings : [...findings, word]
}

interface HiddenRule {
  readonly rule: string
  readonly severity: Severity
  readonly pattern: RegExp
  message(found: string): string
  isHonest?(found: string, before: string, after: string): boolean
}

const rules: readonly HiddenRule[] = [
  {
    rule: 'ansi-escape',
    severity: 'danger',
    // oxlint-disable-next-line no-control-regex -- Control characters are what this is about.
    pattern: /[\x1b\x9b]+/g,
    message: () => 'It holds an escape sequence, which can hide or forge text in a terminal.',
  },
  {
    rule: 'control-character',
    severity: 'warning',
    // oxlint-disable-next-line no-control-regex -- The same.
    pattern: /[\0-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9a\x9c-\x9f]+/g,
    message: () => 'It holds control characters, which have no place in a description.',
  },
  {
    rule: 'hidden-text',
    severity: 'danger',
    pattern: /[\u{e0000}-\u{e007f}]+/gu,
    message: (found) => `It holds text in tag characters that nobody sees: "${decodeTags(found)}".`,
    // The flags of England, Scotland and Wales are written with tags.
    isHonest: (found, before) => before === '🏴' && found.length <= 14 && found.endsWith('\u{e007f}'),
  },
  {
    rule: 'hidden-text',
    severity: 'danger',
    pattern: /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2,}/gu,
    message: (found) =>
      `It holds ${Array.from(found).length} variation selectors in a row, which can carry hidden text.`,
  },
  {
    rule: 'bidirectional-override',
    severity: 'danger',
    pattern: /[\u202a-\u202e\u2066-\u2069]+/g,
    message: () => 'It holds controls of direction, which show text in another order than a model reads it.',
  },
  {
    rule: 'direction-mark',
    severity: 'warning',
    pattern: /[\u200e\u200f\u061c]+/g,
    message: () => 'It holds invisible marks of direction.',
    isHonest: (_, before, after) => /[\p{Script=Hebrew}\p{Script=Arabic}]/u.test(before + after),
  },
  {
    rule: 'zero-width',
    severity: 'danger',
    pattern: /(?:\u034f|[\u00ad\u115f\u1160\u180e\u200b-\u200d\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0])+/g,
    message: () => 'It holds characters without width, which split or hide words.',
    isHonest: (found, before, after) => /^[\u200c\u200d]$/.test(found) && needsJoiner(before, after),
  },
  {
    rule: 'private-character',
    severity: 'warning',
    pattern: /\p{Co}+/gu,
    message: () => 'It holds characters for private use, which mean nothing to others.',
  },
]

function firstMatch(
  text: string,
  pattern: RegExp,
  isHonest: HiddenRule['isHonest'],
): { at: number; text: string } | null {
  for (const match of text.matchAll(pattern)) {
    const before = Array.from(text.slice(Math.max(0, match.index - 2), match.index)).at(-1) ?? ''
    const after = Array.from(text.slice(match.index + match[0].length).slice(0, 2))[0] ?? ''
    if (isHonest?.(match[0], before, after) !== true) return { at: match.index, text: match[0] }
  }
  return null
}

// Emoji are joined by them, and Indic and Persian words are spelt with them.
function needsJoiner(before: string, after: string): boolean {
  const isPicture = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]/u.test(before)
  if (isPicture) return /\p{Extended_Pictographic}|[♀♂⚕]/u.test(after)
  const script =
    /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Oriya}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Mongolian}\p{M}]/u
  return script.test(before)
}

function decodeTags(found: string): string {
  const text = Array.from(found, (tag) => String.fromCharCode(tag.codePointAt(0)! - 0xe0000)).join('')
  return text.replace(/[^\x20-\x7e]/g, '').slice(0, 80)
}

/** A word of Latin letters with a few that only look Latin. Units such as µm and words of another language are none. */
function findMixedWord(text: string): TextFinding | null {
  for (const match of text.matchAll(/\p{L}+/gu)) {
    const letters = Array.from(match[0])
    const foreign = letters.filter((letter) => !/\p{Script=Latin}/u.test(letter))
    if (foreign.length === 0 || foreign.length === letters.length || !foreign.every(isConfusable)) continue
    const shown = [...new Set(foreign)].slice(0, 10).join('')
    const message = `The word '${match[0].slice(0, 40)}' mixes Latin letters with others that look the same (${shown}).`
    return { rule: 'mixed-scripts', severity: 'danger', at: match.index, length: match[0].length, message }
  }
  return null
}
