import type { Contender } from '../contender.ts'
import { answerFeatures } from './answers.ts'
import { conversationFeatures } from './conversations.ts'
import { ProbeStage, type Feature } from './feature.ts'
import { revisionFeatures } from './revisions.ts'

export const features: Feature[] = [...revisionFeatures, ...conversationFeatures, ...answerFeatures]

export interface FeatureFinding {
  contender: string
  feature: string
  /** What the table shows. */
  shown: string
  /** Why a probe says no, where it failed in words. */
  detail?: string
}

/** Asks a running server for each feature. What it does not do in time it does not do. */
export async function probeFeatures(contender: Contender, cwd: string): Promise<FeatureFinding[]> {
  const findings: FeatureFinding[] = []
  for (const feature of features) findings.push(await probeOne(contender, feature, cwd))
  return findings
}

async function probeOne(contender: Contender, feature: Feature, cwd: string): Promise<FeatureFinding> {
  const finding = { contender: contender.name, feature: feature.id }
  if (contender.unknown[feature.id] !== undefined) {
    return { ...finding, shown: 'not probed', detail: contender.unknown[feature.id] }
  }
  const stage = new ProbeStage(contender, cwd)
  try {
    const found = await feature.probe(stage)
    if (typeof found === 'string') return { ...finding, shown: found }
    if (!found) return { ...finding, shown: 'no' }
    return { ...finding, shown: contender.byHand.includes(feature.id) ? 'by hand' : 'yes' }
  } catch (error) {
    const reasons = error instanceof AggregateError ? error.errors : [error]
    return { ...finding, shown: 'no', detail: reasons.map((reason) => String(reason).slice(0, 300)).join('; ') }
  } finally {
    await stage.stop()
  }
}
