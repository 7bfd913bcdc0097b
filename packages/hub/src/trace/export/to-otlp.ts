import type { EventView } from '@herma/contract'
import { recordedCalls } from './recorded-call.ts'
import { spanOf } from '../otlp/span-of.ts'
import { resourceOf, scopeOf } from '../otlp/resource.ts'

/** Spans in the JSON form of OTLP: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
export function toOtlp(events: readonly EventView[], version: string): unknown {
  const spans = recordedCalls(events).map(({ event, response }) => spanOf(event, response?.['id']))
  return { resourceSpans: [{ resource: resourceOf(version), scopeSpans: [{ scope: scopeOf(version), spans }] }] }
}
