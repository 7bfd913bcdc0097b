import { askingFeatures } from './feature/asking.ts'
import { contentFeatures } from './feature/content.ts'
import type { Feature } from './feature/feature.ts'
import { readingFeatures } from './feature/reading.ts'
import { runningFeatures } from './feature/running.ts'
import { togetherFeatures } from './feature/together.ts'
import { wireFeatures } from './feature/wire.ts'

/** The whole feature list, in the order of the table. */
export const features: readonly Feature[] = [
  ...contentFeatures,
  ...readingFeatures,
  ...runningFeatures,
  ...askingFeatures,
  ...togetherFeatures,
  ...wireFeatures,
]

export type { Feature } from './feature/feature.ts'
