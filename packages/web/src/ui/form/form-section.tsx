import type { ReactNode } from 'react'

/** One step of the form, with a heading. */
export function FormSection({
  id,
  title,
  hint,
  children,
}: {
  id: string
  title: string
  hint?: ReactNode
  children: ReactNode
}) {
  return (
    <section id={id} aria-labelledby={`${id}-title`} className="grid scroll-mt-28 grid-cols-[minmax(0,1fr)] gap-4">
      <div>
        <h2 id={`${id}-title`} className="text-lg font-semibold tracking-tight">
          {title}
        </h2>
        {hint !== undefined && <p className="text-ink-2">{hint}</p>}
      </div>
      {children}
    </section>
  )
}
