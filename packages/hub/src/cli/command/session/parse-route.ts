import type { RouteRule } from '@herma/contract'

import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { parseJsonObject } from '../../flag/json-option.ts'

type Use = RouteRule['use']

const form = 'ABILITY[,ABILITY][:WORD|WORD]=CONNECTOR.TOOL(NAME=VALUE, …), or …=model'

/**
 * Reads a route of the command line, such as `search.web=brave.search(query={query})` or
 * `chat:weather|rain=sky.forecast(place={input})`. What does not fit into that may be given as JSON.
 */
export function parseRoute(text: string): RouteRule {
  if (text.trimStart().startsWith('{')) return parseJsonObject(text, '--route') as RouteRule
  const end = text.indexOf('=')
  if (end < 1) throw refuse(text, 'It has no =.')
  const [abilities = '', ...words] = text.slice(0, end).split(':')
  return {
    abilities: split(abilities, ',') as RouteRule['abilities'],
    contains: split(words.join(':'), '|'),
    use: parseUse(text, text.slice(end + 1).trim()),
  }
}

function parseUse(text: string, use: string): Use {
  if (use === 'model') return use
  const match = /^([\w-]+)\.([^()\s]+)\s*(?:\((.*)\))?$/s.exec(use)
  if (match === null) throw refuse(text, `'${use}' is neither model nor a tool of a connector.`)
  const [, connector = '', tool = '', given = ''] = match
  const pairs = splitArguments(given).map((pair) => {
    const end = pair.indexOf('=')
    if (end < 1) throw refuse(text, `'${pair}' is no NAME=VALUE.`)
    return [pair.slice(0, end).trim(), parseValue(pair.slice(end + 1).trim())] as const
  })
  return { connector, tool, arguments: Object.fromEntries(pairs) as Exclude<Use, 'model'>['arguments'] }
}

/** What reads like JSON is JSON; a token such as {query} and everything else is a text. */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Cuts at commas that stand neither in quotes nor in brackets. */
function splitArguments(text: string): string[] {
  const parts: string[] = ['']
  let depth = 0
  let isQuoted = false
  let before = ''
  for (const sign of text) {
    if (sign === '"' && before !== '\\') isQuoted = !isQuoted
    before = sign
    if (!isQuoted && '[{'.includes(sign)) depth++
    if (!isQuoted && ']}'.includes(sign)) depth--
    if (sign === ',' && depth === 0 && !isQuoted) parts.push('')
    else parts[parts.length - 1] += sign
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

function split(text: string, sign: string): string[] {
  return text
    .split(sign)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function refuse(text: string, why: string): CliError {
  return new CliError(exitCodes.usage, `--route '${text}' cannot be read. ${why} Write: ${form}`)
}
