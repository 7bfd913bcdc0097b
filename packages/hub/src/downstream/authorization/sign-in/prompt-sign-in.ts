import type { HubError } from '@herma/contract'
import {
  inputMethods,
  isObject,
  lacking,
  localOperator,
  urlElicitationRequired,
  WholeAnswerCall,
  type Call,
} from '../../../wire/index.ts'
import { RequestCall } from '../../link/request-call.ts'
import type { ConnectorCredentials } from '../credential/connector-credentials.ts'
import { everybody } from '../credential/connector-credentials.ts'
import type { SignInLinks } from './sign-in-links.ts'

/** The server that wants a sign-in. */
export interface SignInPlace {
  readonly name: string
  readonly connectorId: string
  readonly credentials: ConnectorCredentials
  readonly links: SignInLinks
  /** Sends the call once more. */
  again(call: Call): void
}

/** How long the retry of a client waits for the person who is at the page. */
const retryMs = 60_000
/** How long a call of the hub's own waits, once the client has agreed to show the page. */
const innerMs = 5 * 60_000

/**
 * Ends a call that a person has to sign in for: with a link where the client can show one, in words otherwise.
 * https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
 */
export function promptSignIn(call: Call, error: HubError, place: SignInPlace): void {
  if (call.isDone || !canShowLink(call) || !mayFollowLink(call, place)) return call.fail(error)
  if (call instanceof WholeAnswerCall) void askAndWait(call, error, place)
  else if (call.isAgain === true) void waitForPerson(call, error, place)
  else sendLink(call, error, place)
}

function canShowLink({ caller, method }: Call): boolean {
  const isKnown = caller.revision >= '2025-11-25' && inputMethods.has(method)
  return isKnown && lacking('elicitation/create', { mode: 'url' }, caller.capabilities) === null
}

/** What everybody shares only the operator signs in to from here; keys and programs have no browser to be known by. */
function mayFollowLink(call: Call, { credentials }: SignInPlace): boolean {
  if (call instanceof RequestCall) return false
  const { principal } = call.caller
  const { authorization } = credentials.for(principal)
  if (authorization?.needsPerson !== true || credentials.missing(principal).length > 0) return false
  return principal === localOperator || (credentials.isPersonal && principal.startsWith('user:'))
}

/** A modern client gets the same as `input_required`. */
function sendLink(call: Call, error: HubError, place: SignInPlace): void {
  const elicitation = elicit(call, place)
  // The retry finds its way by it.
  call.runner ??= { connector: place.name, connectorId: place.connectorId, cancel: () => undefined }
  const data = { elicitations: [elicitation] }
  call.failWith({ code: urlElicitationRequired, message: error.message, data }, 'legacy')
}

/** The client has agreed and come back, perhaps sooner than the person at the page. */
async function waitForPerson(call: Call, error: HubError, place: SignInPlace): Promise<void> {
  call.isAgain = false
  const isDone = await isSignedIn(call, place, retryMs)
  if (call.isDone) return
  if (isDone) place.again(call)
  else sendLink(call, error, place)
}

/** A call inside of another one: the client of the outer call is asked, and the call goes on afterwards. */
async function askAndWait(call: Call, error: HubError, place: SignInPlace): Promise<void> {
  const question = { method: 'elicitation/create', params: elicit(call, place) }
  const answer = await call.ask(question, new AbortController().signal).catch(() => null)
  const isAccepted = isObject(answer?.result) && answer.result['action'] === 'accept'
  const isDone = isAccepted && (await isSignedIn(call, place, innerMs))
  if (isDone) place.again(call)
  else call.fail(error)
}

async function isSignedIn(call: Call, place: SignInPlace, limitMs: number): Promise<boolean> {
  const { connectorId, links } = place
  const whose = whoseOf(call, place)
  // What nobody wants any more is done already.
  return !links.isWanted(connectorId, whose) || (await links.wait(connectorId, whose, limitMs))
}

function elicit(call: Call, place: SignInPlace) {
  const { principal, connectionId } = call.caller
  const whose = whoseOf(call, place)
  const { url, elicitationId } = place.links.give(place.connectorId, { whose, by: principal, connectionId })
  return { mode: 'url', elicitationId, url, message: `'${place.name}' wants you to sign in.` }
}

function whoseOf(call: Call, { credentials }: SignInPlace): string {
  return credentials.isPersonal ? call.caller.principal : everybody
}
