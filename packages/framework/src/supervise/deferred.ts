export interface Deferred {
  readonly promise: Promise<void>
  resolve(): void
  reject(error: unknown): void
}

/** A promise that is settled from outside; only the first time counts. */
export function deferred(): Deferred {
  let settle: Pick<Deferred, 'resolve' | 'reject'> | undefined
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  return { promise, resolve: () => settle?.resolve(), reject: (error) => settle?.reject(error) }
}
