import { errorCode } from '../../../protocol/errors.ts'
import { jsonProblem } from '../../../wire/json-problem.ts'
import { isNestedTooDeep, maxNesting } from '../../../wire/nesting.ts'
import type { HttpExchange } from './exchange.ts'
import { refuse } from './refuse.ts'

/** Reads the JSON that was posted. Undefined when it was refused, or its client left. */
export async function readPost(exchange: HttpExchange, maxBytes: number): Promise<{ value: unknown } | undefined> {
  if (!isJson(exchange.header('content-type'))) {
    const text = 'Content-Type must be application/json.'
    return refuse(exchange, { status: 415, code: errorCode.invalidRequest, text })
  }
  const read = await exchange.readBody(maxBytes)
  if ('problem' in read) return refuseBody(exchange, read.problem, maxBytes)
  const given = 'bytes' in read ? read.bytes : read.value
  const bytes = toBytes(given)
  if (bytes === undefined ? isValueNestedTooDeep(given) : isNestedTooDeep(bytes)) {
    const text = `The message is nested more than ${maxNesting} levels deep.`
    return refuse(exchange, { status: 400, code: errorCode.invalidRequest, text })
  }
  if (bytes === undefined) return { value: given }
  try {
    return { value: JSON.parse(bytes.toString('utf8')) }
  } catch (error) {
    return refuse(exchange, { status: 400, code: errorCode.parse, text: `Parse error: ${jsonProblem(error)}` })
  }
}

/** A client must be ready for a single answer and for a stream; only what says otherwise is refused. */
export function checkAccept(exchange: HttpExchange, types: readonly string[]): boolean {
  const accept = exchange.header('accept')
  if (accept === undefined || accept === 'application/json, text/event-stream') return true
  if (types.every((type) => accepts(accept, type))) return true
  const text = `Accept must list ${types.join(' and ')}.`
  refuse(exchange, { status: 406, code: errorCode.invalidRequest, text })
  return false
}

function refuseBody(exchange: HttpExchange, problem: string, maxBytes: number): undefined {
  if (problem === 'broken off') return undefined
  if (problem === 'too large') {
    const text = `The body has more than ${maxBytes} bytes.`
    return refuse(exchange, { status: 413, code: errorCode.invalidRequest, text })
  }
  const text = 'Something before this server has read the body. Hand over what it parsed as request.body.'
  return refuse(exchange, { status: 500, code: errorCode.internal, text })
}

function isJson(type: string | undefined): boolean {
  return type === 'application/json' || (type !== undefined && /^application\/json\s*(;|$)/i.test(type))
}

function accepts(accept: string, type: string): boolean {
  const family = type.slice(0, type.indexOf('/'))
  return accept.split(',').some((range) => {
    const name = range.split(';')[0]!.trim().toLowerCase()
    return name === type || name === '*/*' || name === `${family}/*`
  })
}

/** Some frameworks hand over the body as it came. */
function toBytes(value: unknown): Buffer | undefined {
  if (Buffer.isBuffer(value)) return value
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return typeof value === 'string' ? Buffer.from(value) : undefined
}

function isValueNestedTooDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxNesting) return true
    level = level.flatMap((entry) => (typeof entry === 'object' && entry !== null ? Object.values(entry) : []))
  }
  return false
}
