import { useId, type ReactNode } from 'react'

/** A named part of a page. */
export function Section({ title, hint, children }: { title: string; hint?: ReactNode; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="mt-8 grid grid-cols-[minmax(0,1fr)] gap-3">
      <div>
        <h2 id={id} className="text-lg font-semibold tracking-tight">
          {title}
        </h2>
        {hint && <p className="mt-0.5 text-ink-2">{hint}</p>}
      </div>
      {children}
    </section>
  )
}
