/** The name that a script has in its stack traces. */
export const scriptName = 'script.js'

/**
 * What a script finds when it starts: JavaScript that runs inside the sandbox, before the script. It keeps its own
 * references to what it needs, so that a script that redefines built-ins breaks nothing but itself. An error is made
 * when a tool is called and thrown when it fails, since only then does its stack name the line of the script.
 */
export const sandboxPrelude = `
(function (ask, write) {
  'use strict'
  const { parse, stringify } = JSON
  const { Error, Object, Proxy, String } = globalThis

  const request = async (kind, payload) => {
    const failure = new Error()
    const answer = parse(await ask(kind, stringify(payload)))
    if (answer.error === undefined) return answer.value
    failure.message = answer.error
    throw failure
  }
  const call = (name, args) => request('call', { name: String(name), arguments: args === undefined ? {} : args })
  const show = (value) => {
    if (typeof value === 'string') return value
    if (value instanceof Error) return value.name + ': ' + value.message
    try {
      const text = stringify(value)
      return text === undefined ? String(value) : text
    } catch {
      return String(value)
    }
  }
  const log = (...values) => write(values.map(show).join(' '))
  const define = (name, value) =>
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false })

  define('tools', new Proxy(Object.create(null), {
    // "then" would make it a promise in the eyes of await.
    get: (_, name) => (typeof name === 'symbol' || name === 'then' || name === 'toJSON' ? undefined
      : (args) => call(name, args)),
  }))
  define('callTool', call)
  define('searchTools', (query, limit) => request('search', { query, limit }))
  define('describeTool', (name) => request('describe', { name }))
  define('sleep', (milliseconds) => request('sleep', { milliseconds }))
  define('console', { log, info: log, debug: log, warn: log, error: log })

  return {
    finish: (value) => stringify(value),
    explain: (error) => {
      if (!(error instanceof Error)) return stringify({ message: 'Thrown: ' + show(error), stack: '' })
      return stringify({ message: show(error), stack: String(error.stack) })
    },
  }
})
`
