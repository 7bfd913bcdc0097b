import type { ComponentProps } from 'react'
import { cn } from './cn.ts'

const tones = {
  neutral: 'border-line bg-well text-ink-2',
  ok: 'border-transparent bg-ok-soft text-ok',
  warn: 'border-transparent bg-warn-soft text-warn',
  bad: 'border-transparent bg-bad-soft text-bad',
  accent: 'border-transparent bg-accent-soft text-accent-text',
} as const

export type BadgeTone = keyof typeof tones

/** A word about something, in a box. */
export function Badge({ tone = 'neutral', className, ...rest }: ComponentProps<'span'> & { tone?: BadgeTone }) {
  return (
    <span
      className={cn(
        'inline-flex h-5 items-center gap-1 rounded-sm border px-1.5 text-xs font-medium whitespace-nowrap',
        tones[tone],
        className,
      )}
      {...rest}
    />
  )
}
