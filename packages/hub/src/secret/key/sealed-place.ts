/** A place that stores sealed values. Whoever stores some registers theirs: the key of one that is unknown gets removed. */
export interface SealedPlace {
  /** For people: `connectors`. */
  readonly name: string
  /**
   * Seals the values of one small batch of rows anew, those behind `after`, in one transaction.
   * A row that somebody changes meanwhile is left alone. Returns the last row that was looked at, null at the end.
   */
  reseal(renew: Renew, after: string | null): Promise<string | null>
}

/** The value as it has to be stored from now on; null when it can stay as it is. Never throws. */
export type Renew = (sealed: string, context: string) => string | null
