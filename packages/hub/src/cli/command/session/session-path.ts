/** The path of a session, with what follows it. */
export function sessionPath(name: string, rest = ''): string {
  return `/api/sessions/${encodeURIComponent(name)}${rest}`
}

/** The path of a binding. */
export function bindingPath(session: string, connector: string): string {
  return sessionPath(session, `/bindings/${encodeURIComponent(connector)}`)
}

/** The path of a thread, with what follows it. */
export function threadPath(session: string, thread: string, rest = ''): string {
  return sessionPath(session, `/threads/${encodeURIComponent(thread)}${rest}`)
}
