// What passes between the hub and a worker thread. Values of scripts pass as JSON text, so that nothing but text ever
// leaves the sandbox.

export interface SandboxLimits {
  /** From the beginning to the end, whatever the script waits for. */
  readonly wallMs: number
  /** How long a script may compute in total. */
  readonly cpuMs: number
  readonly memoryMiB: number
  /** How often a script may want something of the hub, and how many characters it may hand over each time. */
  readonly asks: number
  readonly askLength: number
  readonly logBytes: number
  readonly resultBytes: number
}

/** How a script ended, with what it wrote to the console until then. */
export type SandboxOutcome =
  | { readonly status: 'returned'; readonly json: string | undefined; readonly logs: string }
  | { readonly status: 'failed'; readonly reason: string; readonly logs: string }

export type ToSandbox =
  | { readonly type: 'run'; readonly code: string; readonly limits: SandboxLimits }
  /** The answer to what a script asked for: `{ value }` or `{ error }`. */
  | { readonly type: 'answer'; readonly id: number; readonly json: string }

export type FromSandbox =
  | { readonly type: 'ready' }
  | { readonly type: 'ask'; readonly id: number; readonly kind: string; readonly json: string }
  | { readonly type: 'done'; readonly outcome: SandboxOutcome; readonly isSpent: boolean }

export interface SandboxData {
  readonly wasm: WebAssembly.Module
}
