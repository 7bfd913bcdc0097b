import type { ConnectorDraft } from '@herma/contract'

let pending: ConnectorDraft | null = null

/** Keeps a draft for the form of a new connector, which is opened next. Never in the address: it may hold secrets. */
export function setPendingDraft(draft: ConnectorDraft): void {
  pending = draft
}

/** The draft that the form begins with, once. */
export function takePendingDraft(): ConnectorDraft | null {
  const draft = pending
  pending = null
  return draft
}
