/** Runs one piece of work at a time in this clone, or on `place`. */
export function withLock(name: string, work: () => void | Promise<void>, place?: string): Promise<void>
