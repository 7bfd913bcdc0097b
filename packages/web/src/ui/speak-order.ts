import type { Announcements, ScreenReaderInstructions } from '@dnd-kit/core'

interface Order {
  /** What is moved: 'argument'. */
  readonly noun: string
  readonly nameOf: (key: unknown) => string
  /** From 1. */
  readonly placeOf: (key: unknown) => number
  readonly total: number
}

/** What is said while something is moved to another place, in words in place of ids. */
export function speakOrder({ noun, nameOf, placeOf, total }: Order): {
  announcements: Announcements
  screenReaderInstructions: ScreenReaderInstructions
} {
  const place = (key: unknown) => `${placeOf(key)} of ${total}`
  return {
    screenReaderInstructions: {
      draggable: `Press Space to pick up the ${noun}, arrow keys to move it, Space to drop it, Escape to leave it where it was.`,
    },
    announcements: {
      onDragStart: ({ active }) => `Picked up ${nameOf(active.id)}, ${place(active.id)}.`,
      onDragOver: ({ active, over }) =>
        over === null
          ? `${nameOf(active.id)} is over nothing.`
          : over.id === active.id
            ? // The first thing it is over is its own place, which must not drown that it was picked up.
              `Picked up ${nameOf(active.id)}, ${place(active.id)}.`
            : `${nameOf(active.id)} would be ${place(over.id)}.`,
      onDragEnd: ({ active, over }) =>
        over === null
          ? `${nameOf(active.id)} stays where it was.`
          : `Dropped ${nameOf(active.id)} at ${place(over.id)}.`,
      onDragCancel: ({ active }) => `${nameOf(active.id)} stays where it was.`,
    },
  }
}
