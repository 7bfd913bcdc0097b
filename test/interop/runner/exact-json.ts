const writtenMark = /"#(-?\d{17,})"/g
const stringOrLongInteger = /"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{17,}(?![\d.eE])/g

/** An integer that no double holds, for `stringifyExact`. */
export function exactInteger(digits: string): string {
  return `#${digits}`
}

/** As JSON.stringify, with every `exactInteger` as the number it stands for. */
export function stringifyExact(value: unknown): string {
  return JSON.stringify(value).replace(writtenMark, '$1')
}

/** As JSON.parse, with every integer of 17 digits or more as an `exactInteger`: a double would hide a changed one. */
export function parseExact(text: string): unknown {
  return JSON.parse(text.replace(stringOrLongInteger, (token) => (token.startsWith('"') ? token : `"#${token}"`)))
}
