import type { TokenSealer } from './token-sealer.ts'

/** Encrypts values at rest. The context says whose value it is, so a sealed value cannot be moved to another row. */
export interface ValueSealer {
  seal(plaintext: string, context: string): string
  /** Throws, naming the next step, when the key or the context is not the one that sealed the value. */
  open(sealed: string, context: string): string
}

export interface Sealer extends ValueSealer {
  /** A sealer for values that leave the hub and come back within `rotationMs`. */
  tokens(purpose: string, rotationMs: number): TokenSealer
}
