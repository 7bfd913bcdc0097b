/** Characters that show as nothing, or that change how others show. */
const unseen =
  /[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]|\u034f|[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u00a0\u115f\u1160\u17b4\u17b5\u3164\uffa0]/gu

/** Text in which everything can be seen: a zero-width space becomes `\u200b`. */
export function makeVisible(text: string): string {
  return text.replace(unseen, (character) => {
    if (character === '\n') return '\\n'
    if (character === '\t') return '\\t'
    const code = character.codePointAt(0)!
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}

/** The surroundings of a place in a text, made visible. */
export function excerptAt(text: string, start: number, length: number): string {
  const [from, to] = [Math.max(0, start - 30), Math.min(text.length, start + Math.min(length, 120) + 30)]
  return `${from > 0 ? '…' : ''}${makeVisible(text.slice(from, to))}${to < text.length ? '…' : ''}`
}
