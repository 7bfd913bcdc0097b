import type { HubEvent } from '../../platform/events.ts'

const maxCharacters = 2_097_152

/** The data of an event as JSON that the store can hold. Never throws: what cannot be written says so. */
export function freezeData(data: HubEvent['data'], redactValue: (value: unknown) => unknown): string {
  for (const _ in data) return freeze(data, redactValue)
  return '{}'
}

function freeze(data: HubEvent['data'], redactValue: (value: unknown) => unknown): string {
  let text: string
  try {
    text = JSON.stringify(redactValue(maskTruncated(data, redactValue)), (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    )
  } catch (error) {
    text = JSON.stringify({ unreadable: (error as Error).message.slice(0, 200) })
  }
  if (text.length > maxCharacters) text = JSON.stringify({ tooLong: text.length })
  return text.includes('\\u') ? dropUnstorable(text) : text
}

// PostgreSQL cannot hold the character zero, nor half a surrogate pair; whole pairs are not written as escapes.
function dropUnstorable(text: string): string {
  return text.replace(/\\(?:u[0-9a-f]{4}|.)/gi, (escape) => (/^\\u(?:0000|d[89a-f]..)$/i.test(escape) ? '' : escape))
}

// The begin of a body that was too long is text; its fields can still be told apart well enough to mask them.
function maskTruncated(data: HubEvent['data'], redactValue: (value: unknown) => unknown): HubEvent['data'] {
  const { truncated } = data
  return typeof truncated === 'string' ? { ...data, truncated: maskFields(truncated, redactValue) } : data
}

const textField = /"((?:[^"\\]|\\.){1,100})"(\s*:\s*)"((?:[^"\\]|\\.)*)/g

function maskFields(text: string, redactValue: (value: unknown) => unknown): string {
  return text.replace(textField, (whole, name: string, colon: string, value: string) => {
    const masked = Object.values(redactValue({ [name]: value }) as object)[0] as unknown
    return masked === value ? whole : `"${name}"${colon}"${String(masked)}`
  })
}
