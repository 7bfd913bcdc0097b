import type { ReactNode } from 'react'

export type Tone = 'ok' | 'warn' | 'bad' | 'off'

// Every tone has a shape of its own, so that the colour is never the only sign.
const shapes: Record<Tone, string> = {
  ok: 'rounded-full bg-ok',
  warn: 'rotate-45 rounded-[1px] bg-warn',
  bad: 'rounded-[1px] bg-bad',
  off: 'rounded-full border border-ink-3',
}

const texts: Record<Tone, string> = { ok: 'text-ink-2', warn: 'text-warn', bad: 'text-bad', off: 'text-ink-3' }

/** A status as shape, colour and words. */
export function StatusDot({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={`flex min-w-0 items-start gap-2 ${texts[tone]}`}>
      <span className={`mt-1.5 size-2 shrink-0 ${shapes[tone]}`} aria-hidden />
      <span className="min-w-0 [overflow-wrap:anywhere]">{children}</span>
    </span>
  )
}
