import { isObject, type Era } from '../../wire/index.ts'

const extension = 'io.modelcontextprotocol/tasks'
/** Tasks whose server is remembered; one that is forgotten is looked for again. */
const maxRoutes = 10_000

/** Which server has a task. Ids of tasks are the servers' own, so the first poll finds out and the others know. */
export class TaskRoutes {
  readonly #routes = new Map<string, string>()

  /** Connectors to ask about a task: the one that answered before, or all that have tasks. */
  find(taskId: unknown, offered: readonly string[]): readonly string[] {
    const known = typeof taskId === 'string' ? this.#routes.get(taskId) : undefined
    return known !== undefined && offered.includes(known) ? [known] : offered
  }

  remember(taskId: unknown, connectorId: string): void {
    if (typeof taskId !== 'string' || this.#routes.get(taskId) === connectorId) return
    if (this.#routes.size >= maxRoutes) this.#routes.delete(this.#routes.keys().next().value!)
    this.#routes.set(taskId, connectorId)
  }
}

/** Tasks are an extension since 2026-07-28 and were a capability of their own in 2025-11-25. */
export function hasTasks(capabilities: Record<string, unknown>, era: Era): boolean {
  if (era === 'legacy') return isObject(capabilities['tasks'])
  const { extensions } = capabilities
  return isObject(extensions) && isObject(extensions[extension])
}
