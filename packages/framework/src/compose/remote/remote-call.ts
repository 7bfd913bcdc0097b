import type { JSONObject, LoggingLevel, Result } from '@modelcontextprotocol/server'
import type { Context } from '../../context/context.ts'
import type { RequestContext } from '../../host/request-context.ts'
import { errorCode, McpError } from '../../protocol/errors.ts'
import { isObject, metaKeys } from '../../wire/meta.ts'
import type { LinkRequest, RemoteLink } from './remote-link.ts'
import { answerQuestion, askableOf, QuestionKeys, type Question } from './remote-questions.ts'
import type { SharedLock } from './shared-lock.ts'

export interface RemoteCall {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  /** Whether questions of the remote server are passed on to the caller. */
  readonly asks: boolean
}

const maxRounds = 32

/**
 * Forwards one call with its progress, log messages, cancellation and questions.
 *
 * A modern server asks by its result, so any number of calls run at once. A legacy server asks on the connection, where
 * nothing says which call it is about: a call whose caller can be asked is therefore alone on the connection. What a
 * legacy server asks outside of calls is answered by whoever is alone at that time, and refused when nobody is. When a
 * modern caller is asked on behalf of a legacy server, the remote call is cancelled and begins again with the answer, so
 * what the tool did before its question happens twice.
 */
export async function forwardCall(
  link: RemoteLink,
  call: RemoteCall,
  context: Context,
  lock: SharedLock,
): Promise<Result> {
  return link.isModern ? forwardRounds(link, call, context) : forwardInTurn(link, call, context, lock)
}

async function forwardRounds(link: RemoteLink, call: RemoteCall, context: Context): Promise<Result> {
  const capabilities = call.asks ? askableOf(context) : {}
  let { params } = call
  for (let round = 1; round <= maxRounds; round++) {
    let result: Result | undefined
    // Kept with the caller, so that a retry goes on with the remote server's own state and repeats nothing.
    const asked = await context
      .once(`remote round ${round}`, async () => {
        result = await link.request({ ...toRequest({ ...call, params }, context), capabilities })
        if (result['resultType'] !== 'input_required') throw new Answered()
        return {
          inputRequests: result['inputRequests'] ?? {},
          requestState: result['requestState'] ?? null,
        } as unknown as JSONObject
      })
      .catch((error: unknown) => {
        if (error instanceof Answered) return undefined
        throw error
      })
    if (asked === undefined) return cleanResult(result!)
    const { inputRequests, requestState } = asked
    const inputResponses = await answerAll(inputRequests, context, round)
    params = { ...call.params, inputResponses, ...(requestState !== null && { requestState }) }
  }
  throw new McpError(errorCode.internal, `The remote server asked more than ${maxRounds} times.`)
}

/** Leaves `once` with a final result, which must not be stored with the caller. */
class Answered extends Error {}

async function answerAll(asked: unknown, context: Context, round: number): Promise<Record<string, Result>> {
  const entries = isObject(asked) ? Object.entries(asked) : []
  const answers = entries.map(async ([key, question]) => {
    return [key, await answerQuestion(question as Question, `remote ${round} ${key}`, context)] as const
  })
  return Object.fromEntries(await Promise.all(answers))
}

async function forwardInTurn(link: RemoteLink, call: RemoteCall, context: Context, lock: SharedLock): Promise<Result> {
  const isExclusive = call.asks && Object.keys(askableOf(context)).length > 0
  const release = await lock.acquire(isExclusive, context.signal)
  const end = new AbortController()
  const keys = new QuestionKeys()
  let suspension: unknown
  if (isExclusive) {
    link.asker = async (question) => {
      try {
        return await answerQuestion(question, keys.keyOf(question), context)
      } catch (error) {
        if ((context as RequestContext).isSuspended) {
          suspension = error
          end.abort(error)
        }
        throw error
      }
    }
  }
  try {
    const signal = AbortSignal.any([context.signal, end.signal])
    return cleanResult(await link.request({ ...toRequest(call, context), signal }))
  } catch (error) {
    throw suspension ?? error
  } finally {
    link.asker = undefined
    release()
  }
}

function toRequest({ method, params, headers }: RemoteCall, context: Context): LinkRequest {
  const wanted = context.meta['progressToken'] !== undefined
  return {
    method,
    params: { ...params, _meta: passedOn(context.meta) },
    ...(headers !== undefined && { headers }),
    logLevel: logLevelOf(context),
    signal: context.signal,
    ...(wanted && {
      onProgress: ({ progress, total, message }) =>
        context.progress(
          Number(progress),
          typeof total === 'number' ? total : undefined,
          message as string | undefined,
        ),
    }),
    onLog: ({ level: severity, data, logger }) => log(context, severity as LoggingLevel, data, logger),
  }
}

/** A modern caller says it with each request; what is below a legacy caller's level is dropped by its connection. */
function logLevelOf(context: Context): string | undefined {
  if (context.era === 'legacy') return 'info'
  const envelope = (context as RequestContext).source.sdk.mcpReq.envelope as Record<string, unknown> | undefined
  const level = envelope?.[metaKeys.logLevel]
  return typeof level === 'string' ? level : undefined
}

function log(context: Context, level: LoggingLevel, data: unknown, logger: unknown): void {
  const write = Object.hasOwn(context.log, level) ? context.log[level] : context.log.info
  if (typeof data === 'string') write(data)
  else write(typeof logger === 'string' ? logger : 'remote', data)
}

/** What belongs to the conversation with our client stays there; the rest, such as `traceparent`, goes along. */
function passedOn(meta: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const own = (name: string) =>
    name.startsWith('io.modelcontextprotocol/') || name === 'progressToken' || name === 'herma'
  return Object.fromEntries(Object.entries(meta).filter(([name]) => !own(name)))
}

/** What our own protocol says of every result is taken away; everything else stays as it came. */
function cleanResult(result: Result): Result {
  const { resultType, _meta, ...rest } = result as Result & { resultType?: unknown }
  const { [metaKeys.serverInfo]: _, ...meta } = _meta ?? {}
  return {
    ...rest,
    ...(resultType !== undefined && resultType !== 'complete' && { resultType }),
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  }
}
