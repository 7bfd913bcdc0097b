/** The name of the product with its sign: three roads that meet at a pillar. */
export function Brand() {
  return (
    <span className="flex items-center gap-2 text-lg font-semibold tracking-tight">
      <svg viewBox="0 0 20 20" className="size-5" fill="none" strokeWidth="1.8" strokeLinecap="round" aria-hidden>
        <path d="M10 10 3 4M10 10l7-6M10 10v8" className="stroke-accent" />
        <circle cx="10" cy="10" r="3" className="fill-bg stroke-ink" />
      </svg>
      Herma
    </span>
  )
}
