import { Check, CircleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { cn } from '../cn.ts'

export interface Step {
  /** The id of its part of the page. */
  readonly id: string
  readonly label: string
  /** Problems that can be seen. */
  readonly problemCount: number
  /** Nothing is missing. */
  readonly isDone: boolean
}

/**
 * Where one is on a long form, what is done and what is wrong there. A press leads to the part. A narrow window has room
 * for one label: that of the part where one is.
 */
export function Stepper({ label, steps }: { label: string; steps: readonly Step[] }) {
  const current = useInView(steps.map(({ id }) => id))
  return (
    <nav aria-label={label} className="sticky top-12 z-10 -mx-3 border-b border-line bg-bg px-3 sm:-mx-6 sm:px-6">
      <ol className="flex min-h-11 items-center gap-1 sm:gap-3">
        {steps.map((step, index) => (
          <li key={step.id} className="flex min-w-0 items-center gap-1 sm:gap-3">
            {index > 0 && <span aria-hidden className="h-px w-2 shrink-0 bg-line-strong sm:w-6" />}
            <button
              type="button"
              aria-current={step.id === current ? 'step' : undefined}
              onClick={() => goTo(step.id)}
              className={cn(
                'flex min-h-8 min-w-8 items-center gap-1.5 rounded-md text-sm text-ink-2 hover:text-ink sm:gap-2 pointer-coarse:min-h-11',
                step.id === current ? 'font-medium text-ink' : 'max-sm:justify-center',
              )}
            >
              <Mark step={step} place={index + 1} isCurrent={step.id === current} />
              <span className={cn('truncate', step.id !== current && 'max-sm:sr-only')}>{step.label}</span>
              {step.problemCount > 0 && <span className="sr-only">, {step.problemCount} to fix</span>}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  )
}

function Mark({ step, place, isCurrent }: { step: Step; place: number; isCurrent: boolean }) {
  const hasProblem = step.problemCount > 0
  const tone = hasProblem
    ? 'border-bad text-bad'
    : isCurrent
      ? 'border-accent bg-accent text-accent-ink'
      : step.isDone
        ? 'border-ok text-ok'
        : 'border-line-strong text-ink-2'
  return (
    <span aria-hidden className={cn('grid size-5 shrink-0 place-items-center rounded-full border text-xs', tone)}>
      {hasProblem ? (
        <CircleAlert className="size-3.5" />
      ) : step.isDone && !isCurrent ? (
        <Check className="size-3" />
      ) : (
        place
      )}
    </span>
  )
}

function goTo(id: string): void {
  const part = document.getElementById(id)
  part?.scrollIntoView({ block: 'start' })
  part?.querySelector<HTMLElement>('input, select, textarea, button')?.focus({ preventScroll: true })
}

/** The first of these parts that is on the upper half of the screen. */
function useInView(ids: readonly string[]): string | undefined {
  const key = ids.join(' ')
  const [visible, setVisible] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    const watch = new IntersectionObserver(
      (entries) =>
        setVisible((last) => {
          const next = new Set(last)
          for (const { target, isIntersecting } of entries) {
            if (isIntersecting) next.add(target.id)
            else next.delete(target.id)
          }
          return next
        }),
      { rootMargin: '-112px 0px -50% 0px' },
    )
    for (const id of key.split(' ')) {
      const part = document.getElementById(id)
      if (part !== null) watch.observe(part)
    }
    return () => watch.disconnect()
  }, [key])
  return ids.find((id) => visible.has(id)) ?? ids[0]
}
