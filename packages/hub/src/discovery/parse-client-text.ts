import { HubError } from '@herma/contract'

/**
 * Reads the text of a client's configuration file. VS Code and others write JSON with comments and trailing commas,
 * so these are accepted; Codex writes TOML, which is not.
 */
export function parseClientText(text: string, file: string): unknown {
  const json = text.replace(/^\uFEFF/, '')
  if (json.trim() === '') throw new HubError('PARSE_ERROR', `${file} is empty.`)
  try {
    return JSON.parse(json)
  } catch {
    return parseLoose(json, file)
  }
}

// What is never closed goes to the end of the text, so that it is not looked for again from every sign on.
const string = /"(?:[^"\\]|\\[^])*(?:"|\\?$)/.source
const comment = new RegExp(`${string}|//[^\\n]*|/\\*[^]*?(?:\\*/|$)`, 'g')
const trailingComma = new RegExp(`${string}|,(?=\\s*[}\\]])`, 'g')

// A comment mark or comma inside a string is part of the value.
function keepStrings(match: string): string {
  return match.startsWith('"') ? match : ' '
}

function parseLoose(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replaceAll(comment, keepStrings).replaceAll(trailingComma, keepStrings))
  } catch (error) {
    if (/^\s*\[+[\w."'-]+\]+\s*$/m.test(text)) {
      throw new HubError(
        'PARSE_ERROR',
        `${file} is TOML, as Codex writes it, not JSON. Add its servers one by one: herma add NAME URL, or herma add NAME -- CMD ARGS`,
      )
    }
    // The parser's message quotes the text, which may hold a secret, so only the place is repeated.
    const place = /line \d+ column \d+|position \d+/.exec(String(error))?.[0]
    throw new HubError('PARSE_ERROR', `${file} is not JSON${place === undefined ? '' : `: see ${place}`}.`)
  }
}
