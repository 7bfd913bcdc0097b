// Projects that include this file only through an import need to be told of the types beside it.
// oxlint-disable-next-line typescript/triple-slash-reference -- an import would make the declarations augmentations
/// <reference path="./undici-parts.d.ts" />
/**
 * The parts of undici that every call needs. Its index brings fetch, WebSocket and caches along, and these bring Node's
 * own copy of undici: a twelfth of the time in which a hub starts. Whoever wants fetch loads it when it is first called.
 */
import Agent from 'undici/lib/dispatcher/agent.js'
import Client from 'undici/lib/dispatcher/client.js'
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
import Pool from 'undici/lib/dispatcher/pool.js'
import methods from 'undici/lib/api/index.js'
import buildConnector from 'undici/lib/core/connect.js'

// As the index does: `request`, `stream` and the like for every dispatcher.
Object.assign(Dispatcher.prototype, methods)

export { Agent, buildConnector, Client, Pool }

type Fetch = typeof import('undici').fetch

export const fetchWith: Fetch = async (...given) => {
  // In the built product a CommonJS module that is loaded later has its default only.
  const { default: undici } = await import('undici')
  return await undici.fetch(...given)
}
