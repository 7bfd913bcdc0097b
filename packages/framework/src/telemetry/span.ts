/** The part of an OpenTelemetry span that handlers use; does nothing unless the bridge is installed. */
export interface Span {
  setAttribute(name: string, value: string | number | boolean): void
  addEvent(name: string, attributes?: Readonly<Record<string, string | number | boolean>>): void
}

export const noSpan: Span = { setAttribute: () => {}, addEvent: () => {} }

/** Runs a function with the span of a request as the active one. */
export type SpanRunner = <Result>(key: object, run: () => Result) => Result

const spans = new WeakMap<object, Span>()
let runner: SpanRunner | undefined

/** The span of the request whose 'mcp.request.start' had this key; `noSpan` when nobody traces. */
export function spanOf(key: object): Span {
  return spans.get(key) ?? noSpan
}

export function setSpan(key: object, span: Span): void {
  spans.set(key, span)
}

/** Runs a handler so that the spans that it starts are children of its request's; a plain call when nobody traces. */
export function runInSpan<Result>(key: object, run: () => Result): Result {
  return runner === undefined ? run() : runner(key, run)
}

/** Installs what `runInSpan` runs with; false when there is one already. Tracing comes from one bridge at a time. */
export function installSpanRunner(next: SpanRunner): boolean {
  if (runner !== undefined) return false
  runner = next
  return true
}

export function removeSpanRunner(installed: SpanRunner): void {
  if (runner === installed) runner = undefined
}
