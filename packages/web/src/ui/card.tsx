import { useId, type ComponentProps, type ReactNode } from 'react'
import { cn } from './cn.ts'

type CardProps = Omit<ComponentProps<'section'>, 'title'> & {
  /** Becomes a heading that names the card. */
  title?: ReactNode
  hint?: ReactNode
  /** Stands at the right of the title. */
  actions?: ReactNode
}

/** A part of a page on a surface of its own. Its children bring their own padding. */
export function Card({ title, hint, actions, className, children, ...rest }: CardProps) {
  const id = useId()
  const hasHead = title !== undefined
  return (
    <section
      aria-labelledby={hasHead ? id : undefined}
      className={cn('min-w-0 rounded-lg border border-line bg-surface shadow-card', className)}
      {...rest}
    >
      {hasHead && (
        <div className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2">
          <div className="mr-auto min-w-0">
            <h2 id={id} className="text-base font-semibold">
              {title}
            </h2>
            {hint !== undefined && <p className="text-sm text-ink-3">{hint}</p>}
          </div>
          {actions}
        </div>
      )}
      {children}
    </section>
  )
}
