import type { PinPolicy, Severity } from '@herma/contract'
import type { Descriptor } from '../../wire/index.ts'
import { pinnedPart } from './hash-descriptor.ts'

/** A pin in memory, where there may be many thousands: times are numbers, and what is empty is shared. */
export interface Pin {
  approvedHash: string | null
  approvedAtMs: number | null
  readonly hash: string
  readonly seenAtMs: number
  risk: Severity | null
  /** The check that saw the tool last. */
  round: number
  /** What the hashes stand for, until it is stored. */
  unsaved: readonly Unsaved[]
}

export const nothingUnsaved: readonly Unsaved[] = []

export interface Unsaved {
  readonly hash: string
  readonly descriptor: Descriptor
}

export interface PinVerdict {
  readonly tool: string
  readonly hash: string
  readonly state: 'approved' | 'pending' | 'blocked'
  /** Why it is not approved. A duplicate says under the same name something else than the first does. */
  readonly reason: 'new' | 'changed' | 'duplicate' | null
}

/** The pin of a tool that was seen as it was not before. */
export function renewPin(before: Pin | undefined, hash: string, descriptor: Descriptor): Pin {
  return {
    approvedHash: before?.approvedHash ?? null,
    approvedAtMs: before?.approvedAtMs ?? null,
    hash,
    seenAtMs: Date.now(),
    risk: null,
    round: 0,
    // What was approved a moment ago may not be stored so far, and is what the next review compares with.
    unsaved: [
      ...(before?.unsaved ?? []).filter((unsaved) => unsaved.hash === before?.approvedHash),
      { hash, descriptor: pinnedPart(descriptor) },
    ],
  }
}

/** The same tool under a hash that is made in another way: what was approved stays so. */
export function rehashPin(pin: Pin, hash: string, descriptor: Descriptor): Pin {
  const approvedHash = pin.approvedHash === pin.hash ? hash : pin.approvedHash
  return { ...renewPin(pin, hash, descriptor), approvedHash, seenAtMs: pin.seenAtMs, risk: pin.risk }
}

export function approvePin(pin: Pin): void {
  pin.approvedHash = pin.hash
  pin.approvedAtMs = Date.now()
}

/** Why a tool waits for a person; null when it does not. */
export function reasonOf({ approvedHash, hash }: Pin): 'new' | 'changed' | null {
  if (approvedHash === null) return 'new'
  return approvedHash === hash ? null : 'changed'
}

export function pendingState(policy: PinPolicy): 'pending' | 'blocked' {
  return policy === 'block' ? 'blocked' : 'pending'
}

export function toVerdict(tool: string, pin: Pin, policy: PinPolicy): PinVerdict {
  const reason = reasonOf(pin)
  return { tool, hash: pin.hash, state: reason === null ? 'approved' : pendingState(policy), reason }
}
