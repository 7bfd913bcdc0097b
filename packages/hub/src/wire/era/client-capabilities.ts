import { isObject } from '@herma/framework/wire'

export type Capabilities = Record<string, unknown>

/** Everything that the hub can relay on behalf of its clients. */
export const relayedCapabilities: Capabilities = {
  sampling: { context: {}, tools: {} },
  elicitation: { form: {}, url: {} },
  roots: {},
}

/**
 * What a server may be told that a client can do, in one form for all revisions: a bare `elicitation` means forms, and
 * changes of roots are not relayed. Capabilities of the tasks that 2025-11-25 tried out are left out, because requests
 * about a client's tasks belong to no call.
 */
export function toRelayed(capabilities: Capabilities): Capabilities {
  const { sampling, elicitation, roots, experimental, extensions } = capabilities
  return {
    ...(isObject(sampling) && { sampling: pick(sampling, ['context', 'tools']) }),
    ...(isObject(elicitation) && { elicitation: toModes(elicitation) }),
    ...(isObject(roots) && { roots: {} }),
    ...(isObject(experimental) && { experimental }),
    ...(isObject(extensions) && { extensions }),
  }
}

/** Whether a client with these capabilities can be asked anything at all. */
export function canBeAsked(capabilities: Capabilities): boolean {
  return isObject(capabilities['sampling']) || isObject(capabilities['elicitation']) || isObject(capabilities['roots'])
}

/** What a client lacks to answer a question, in the form that it would declare it in; null when it lacks nothing. */
export function lacking(method: string, params: unknown, capabilities: Capabilities): Capabilities | null {
  const relayed = toRelayed(capabilities)
  if (method === 'roots/list') return relayed['roots'] === undefined ? { roots: {} } : null
  if (method === 'sampling/createMessage') {
    const needsTools = isObject(params) && params['tools'] !== undefined
    if (relayed['sampling'] === undefined) return { sampling: needsTools ? { tools: {} } : {} }
    return needsTools && !has(relayed['sampling'], 'tools') ? { sampling: { tools: {} } } : null
  }
  if (method === 'elicitation/create') {
    const mode = isObject(params) && params['mode'] === 'url' ? 'url' : 'form'
    return has(relayed['elicitation'], mode) ? null : { elicitation: { [mode]: {} } }
  }
  return null
}

function has(value: unknown, key: string): boolean {
  return isObject(value) && value[key] !== undefined
}

function toModes(elicitation: Capabilities): Capabilities {
  const modes = pick(elicitation, ['form', 'url'])
  return Object.keys(modes).length === 0 ? { form: {} } : modes
}

function pick(value: Capabilities, keys: readonly string[]): Capabilities {
  return Object.fromEntries(keys.flatMap((key) => (isObject(value[key]) ? [[key, {}]] : [])))
}
