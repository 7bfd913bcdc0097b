import { revisions, type Revision } from '../revision.ts'
import type { Cell, CellKind } from '../cell.ts'

const specification = 'https://modelcontextprotocol.io/specification'

/** Why something cannot cross, in the words of the specification. */
export interface Hole {
  readonly reason: string
  readonly link: string
}

/** A condition of the specification for a feature; the hole is what remains where it is not met. */
export interface Need extends Hole {
  isMet(kind: CellKind): boolean
}

export interface Feature {
  readonly name: string
  /** As it stands in the table. */
  readonly title: string
  readonly needs?: readonly Need[]
  /** Throws when what came is not exactly right. */
  run(cell: Cell): Promise<void>
  /** What a reader is told about the cells where a need is not met. */
  readonly instead?: string
  /** The proof of that: a clean refusal, or less than the whole. */
  otherwise?(cell: Cell): Promise<void>
}

/** The first need that a cell does not meet. */
export function findHole(feature: Feature, kind: CellKind): Hole | null {
  const need = feature.needs?.find(({ isMet }) => !isMet(kind))
  return need === undefined ? null : { reason: need.reason, link: need.link }
}

type Side = 'client' | 'server'

/** Something that came with a revision, so that an older end does not know it. */
export function introduced(what: string, from: Revision, sides: readonly Side[] = ['client', 'server']): Need {
  return {
    reason: `${what} came with ${from}`,
    link: `${specification}/${from}/changelog`,
    isMet: (kind) => sides.every((side) => kind[side] >= from),
  }
}

/** Something that a revision removed, so that a newer end does not know it any more. */
export function removed(what: string, by: Revision, sides: readonly Side[] = ['client', 'server']): Need {
  const last = revisions[revisions.indexOf(by) - 1]!
  return {
    reason: `${what} ended with ${last}: ${by} removed it`,
    link: `${specification}/${by}/changelog`,
    isMet: (kind) => sides.every((side) => kind[side] < by),
  }
}

/** A condition of another kind, with the page of the specification that sets it. */
export function needed(reason: string, page: string, isMet: (kind: CellKind) => boolean): Need {
  return { reason, link: `${specification}/${page}`, isMet }
}
