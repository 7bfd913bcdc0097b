import { abilitySchemas, HubError, type Ability } from '@herma/contract'
import { enterServer, readArguments, sessionServer, type WorkContext, type ToolResult } from '../../wire/index.ts'
import type { StoredSession } from '../store.ts'
import { hadEffect } from '../work/had-effect.ts'
import type { WorkEnvironment } from '../work/work-environment.ts'
import { abilities } from './abilities.ts'
import { describeAbility } from './ability-tool.ts'
import { runAbility } from './run-ability.ts'

/** Servers that a request to a session may have passed, itself included. */
const hopLimit = 3

/** A session as the gateway serves it; see OwnServer of the catalog. */
export interface SessionServer {
  readonly name: string
  readonly title: string
  readonly instructions: string
  readonly tools: readonly SessionServerTool[]
}

export interface SessionServerTool {
  readonly name: Ability
  readonly origin: string
  readonly descriptor: Readonly<Record<string, unknown>>
  readonly tags: readonly string[]
  run(args: Record<string, unknown>, context: { workContext(): WorkContext }): Promise<ToolResult>
}

export interface SessionFacts {
  /** The id of this hub, for paths of calls. */
  readonly hub: string
  readonly offered: readonly Ability[]
  readonly outside: WorkEnvironment
  /** The session as it is when it is called: a list may be older than a change. */
  current(): StoredSession
}

/** A session as an MCP server: what it offers are its tools. */
export function sessionServerOf(session: StoredSession, facts: SessionFacts): SessionServer {
  const { name, description, provider, model } = session
  const mind = model === '' ? provider : `${model} (${provider})`
  const folder =
    session.workingDir === null
      ? 'Give cwd where files are needed.'
      : `It works in ${session.workingDir} unless told otherwise by cwd.`
  return {
    name: sessionServer(name),
    title: `Session ${name}`,
    instructions: [`An agent session of Herma, with ${mind}.`, description, folder]
      .filter((text) => text !== '')
      .join(' '),
    tools: facts.offered.map((ability) => ({
      name: ability,
      origin: sessionServer(name),
      descriptor: describeAbility(abilities[ability]),
      tags: [],
      run: (args, context) => serveAbility(ability, args, { ...facts, workContext: context.workContext() }),
    })),
  }
}

/** An ability called by a client. What goes wrong is an answer, for the model of the client to read. */
async function serveAbility(
  ability: Ability,
  args: Record<string, unknown>,
  { hub, outside, current, workContext }: SessionFacts & { readonly workContext: WorkContext },
): Promise<ToolResult> {
  try {
    const session = current()
    const path = enterServer(workContext.path, { hub, server: sessionServer(session.name), limit: hopLimit })
    const fields = readArguments<Record<string, unknown>>(abilitySchemas[ability].input, args, ability)
    return await runAbility(session, { ability, fields, workContext: { ...workContext, path } }, outside)
  } catch (error) {
    // Nobody listens any more.
    if (workContext.signal.aborted) throw error
    return toErrorResult(error, ability)
  }
}

/** The error of an ability as a result; `_meta` says what programs want to know. */
export function toErrorResult(error: unknown, ability: string): ToolResult {
  if (!(error instanceof HubError)) throw error
  const { code, message, data } = error
  const about = { code, hadEffect: hadEffect(error), ...(data !== undefined && { data }) }
  return {
    content: [{ type: 'text', text: `${ability} failed: ${message}` }],
    isError: true,
    _meta: { 'herma/error': about },
  }
}
