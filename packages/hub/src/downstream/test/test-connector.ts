import { access, constants, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import {
  HubError,
  type Connector,
  type TestReport,
  type TestRequest,
  type TestStage,
  type Transport,
} from '@herma/contract'
import type { ConnectorCredentials } from '../authorization/credential/connector-credentials.ts'
import { findBrokenNpxCache } from './broken-npx-cache.ts'
import { createLink } from '../link/create-link.ts'
import { listDescriptors } from '../descriptor/descriptors.ts'
import type { DownstreamEnvironment } from '../downstream-environment.ts'
import type { LinkOwner } from '../link/link.ts'
import type { AddressGuard } from '../../platform/network/index.ts'
import { relayedCapabilities } from '../../wire/index.ts'
import { tokensFor, toLinkSettings, type LinkSettings } from '../link/link-settings.ts'
import { tellBoth } from '../supervision/link-supervisor.ts'
import { StageRun } from './stage-run.ts'
import { StderrRing } from '../channel/stderr-ring.ts'
import { maskTexts } from '../descriptor/mask-texts.ts'
import { TransportChoice } from '../link/http/transport-choice.ts'

/** Tries a connector in stages with a link of its own, and says which one failed, why, and what to do. */
export async function testConnector(
  connector: Connector,
  request: TestRequest,
  { credentials, ...outside }: DownstreamEnvironment & { credentials: ConnectorCredentials },
): Promise<TestReport> {
  const { reader } = credentials
  const { authorization } = credentials.for(reader)
  const of = { connectorId: '', capabilities: relayedCapabilities, authorization }
  const ring = new StderrRing(outside.redact)
  let settings: LinkSettings
  try {
    const shared = toLinkSettings(connector, tokensFor(null, outside.secretOf), of)
    settings = credentials.complete(shared, reader)
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== 'SECRET_NOT_FOUND') throw error
    return reportMissing(error, ring)
  }
  const create = (transport: Transport) =>
    createLink({ ...settings, transport }, createOwner(ring), {
      ...outside,
      onStderr: (line) => ring.add('stderr', line),
    })
  let link = create(settings.transport)
  const run = new StageRun(outside.redact)
  let tools: unknown[] = []
  let called: unknown
  try {
    await run.stage('resolve', () => resolveServer(settings, outside))
    await run.stage('start', () => reachServer(settings, outside.guard))
    await run.stage('handshake', async () => {
      await link.open(null).catch(async (error: unknown) => {
        const transport = new TransportChoice(connector, null).after(link)
        if (transport === null) throw error
        await link.close()
        link = create(transport)
        await link.open(null).catch((second: unknown) => Promise.reject(tellBoth(error, second) as Error))
      })
      outside.ownHub?.check(connector.name, link.handshake!)
      const { serverInfo, revision } = link.handshake!
      const over = link.settings.transport === connector.transport ? '' : ' over HTTP+SSE'
      return `${String(serverInfo?.['name'] ?? 'a server')} ${String(serverInfo?.['version'] ?? '')} speaks ${revision}${over}`
    })
    await run.stage('list', async () => {
      tools = maskTexts(await listDescriptors(link, 'tools'), outside.redact)
      return `${tools.length} tools`
    })
    if (request.tool !== undefined) {
      const params = { name: request.tool, arguments: request.arguments ?? {} }
      await run.stage('call', async () => {
        const result = await link.request('tools/call', params, connector.options.requestTimeoutMs || 600_000)
        called = maskTexts(result, outside.redact)
        return JSON.stringify(result)
      })
    }
  } catch (error) {
    run.skipRest(request.tool === undefined ? ['call'] : [])
    const cause = outside.redact(error instanceof Error ? error.message : String(error))
    const { stages, stderr } = report(run, ring)
    const brokenCache = run.failed === 'handshake' ? await findBrokenNpxCache(settings, stderr) : null
    return {
      stages,
      stderr,
      ok: false,
      cause,
      ...(brokenCache === null
        ? { fix: suggestFix(connector, run.failed, { cause, isSignIn: isSignIn(error) }) }
        : { fix: adviseRemoval(connector, brokenCache), brokenCache }),
      initialize: maskTexts(link.handshake?.result ?? null, outside.redact),
      tools,
    }
  } finally {
    await link.close()
  }
  return {
    ...report(run, ring),
    ok: true,
    cause: null,
    fix: null,
    initialize: maskTexts(link.handshake?.result ?? null, outside.redact),
    tools,
    ...(called !== undefined && { call: called }),
  }
}

/** Without its secret nothing of the connector can be tried. */
function reportMissing(error: HubError, ring: StderrRing): TestReport {
  const run = new StageRun((text) => text)
  run.stages.push({ name: 'resolve', outcome: 'failed', ms: 0, detail: error.message })
  run.skipRest(['call'])
  const [cause, fix] = error.message.split(/(?<=\.) /, 2)
  return { ...report(run, ring), ok: false, cause: cause ?? '', fix: fix ?? null, initialize: null, tools: [] }
}

function report(run: StageRun, ring: StderrRing): Pick<TestReport, 'stages' | 'stderr'> {
  return { stages: run.stages, stderr: ring.last(50).map((line) => line.text) }
}

function createOwner(ring: StderrRing): LinkOwner {
  return {
    onNotification: () => {},
    onQuestion: () => Promise.reject(new HubError('CAPABILITY_MISSING', 'A connection test answers no questions.')),
    onStrayQuestion: () => {},
    onUnanswerable: () => {},
    onInputRequired: (call) => call.fail(new HubError('CAPABILITY_MISSING', 'A connection test gives no input.')),
    onSignInRequired: (call, error) => call.fail(error),
    onUnsent: (call, cause) => call.fail(cause),
    onFinished: () => {},
    onDoubt: () => {},
    onClosed: () => {},
    onRemark: (text) => ring.add('hub', text),
  }
}

async function resolveServer(
  settings: LinkSettings,
  { guard, isolator }: Pick<DownstreamEnvironment, 'guard' | 'isolator'>,
): Promise<string> {
  if (settings.transport !== 'stdio') {
    const host = settings.url!.hostname.replace(/^\[|\]$/g, '')
    const address = await new Promise<string>((done, fail) => {
      guard.lookup(host, {}, (error, found) => (error === null ? done(String(found)) : fail(error)))
    })
    guard.check(host, address)
    return `${host} is ${address}`
  }
  const { isolation } = settings
  if (isolation.type === 'container') return (await isolator?.resolveContainer({ ...settings, isolation })) ?? 'skipped'
  const folder = await stat(settings.workingDir).catch(() => null)
  if (folder === null || !folder.isDirectory()) {
    throw new HubError('CONNECTOR_INVALID', `The working directory ${settings.workingDir} is not a folder.`)
  }
  return `${settings.command} is ${await findCommand(settings)}`
}

async function findCommand(settings: LinkSettings): Promise<string> {
  const { command, workingDir } = settings
  const path = settings.env['PATH'] ?? process.env['PATH'] ?? ''
  const isPath = isAbsolute(command) || command.includes('/')
  const candidates = isPath
    ? [resolve(workingDir, command)]
    : path.split(delimiter).map((folder) => join(folder, command))
  for (const candidate of candidates) {
    if (
      await access(candidate, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return candidate
  }
  throw new HubError('CONNECTOR_INVALID', `The command '${command}' was not found${isPath ? '' : ' on the PATH'}.`)
}

/** Opens a socket to tell "nobody listens there" from "somebody else does"; a process is started by the handshake. */
async function reachServer(settings: LinkSettings, guard: AddressGuard): Promise<string> {
  if (settings.transport === 'stdio') return 'starts with the handshake'
  const { hostname, port, protocol } = settings.url!
  const number = port || (protocol === 'https:' ? '443' : '80')
  await new Promise<void>((done, fail) => {
    guard.connector({ timeout: 5000 })({ hostname, protocol: 'http:', port: number }, (error, socket) => {
      socket?.destroy()
      if (error === null) done()
      else fail(error)
    })
  })
  return `connected to port ${number}`
}

function adviseRemoval({ name }: Connector, folder: string): string {
  return `An install was cut off and left ${folder} half made. Remove that folder: herma test ${name} --remove-broken-cache`
}

function isSignIn(error: unknown): boolean {
  return error instanceof HubError && error.code === 'SIGN_IN_REQUIRED'
}

function suggestFix(
  connector: Connector,
  stage: TestStage['name'] | null,
  { cause, isSignIn: isRefused }: { cause: string; isSignIn: boolean },
): string {
  const edit = `herma edit ${connector.name}`
  if (isRefused && connector.oauth?.grant === 'client_credentials')
    return `Check the client credentials: ${edit} --oauth clientSecret=@FILE`
  if (isRefused)
    return `Sign in: herma login ${connector.name}. Or give it a token: ${edit} --header 'Authorization=Bearer …'`
  if (/HTTP 40[13]/.test(cause)) return `Give it credentials: ${edit} --header 'Authorization=Bearer …'`
  if (/HTTP 40[45]/.test(cause)) return `Check the path of the URL: ${edit} URL`
  if (stage === 'resolve' && connector.isolation?.type === 'container')
    return `Change what it runs in: ${edit} --isolation container --image IMAGE. Or run it without: ${edit} --isolation process`
  if (stage === 'resolve' && connector.transport === 'stdio')
    return `Install the command, or give its full path: ${edit} -- /full/path/to/${connector.cmd ?? 'command'}`
  if (/herma access --reach/.test(cause)) return `Allow its address, or use another one: ${edit} URL`
  if (stage === 'resolve') return 'Check the host name in the URL.'
  if (stage === 'start') return 'Start the server, or check host and port in the URL.'
  if (stage === 'handshake' && connector.transport === 'stdio')
    return `Read what it wrote: herma logs ${connector.name}. Run the command by hand to see whether it speaks MCP.`
  if (stage === 'handshake') return 'Check that the URL is that of an MCP endpoint.'
  if (stage === 'call') return `Check the tool name and its arguments: herma tools ${connector.name}`
  return `Read what it wrote: herma logs ${connector.name}`
}
