export interface ChipToken {
  /** As it is written: `{cwd}`. */
  readonly token: string
  /** What stands in its place when it runs. */
  readonly meaning: string
}

/** Buttons that put placeholders in, and what becomes of each. */
export function ChipTokens({ tokens, onInsert }: { tokens: readonly ChipToken[]; onInsert: (token: string) => void }) {
  return (
    <div className="flex flex-wrap items-start gap-1.5 text-sm text-ink-3">
      <span className="leading-5.5">Insert</span>
      {tokens.map(({ token, meaning }) => (
        <button
          key={token}
          type="button"
          title={meaning}
          aria-label={`Insert ${token}: ${meaning}`}
          // Whoever clicks it while typing goes on typing.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onInsert(token)}
          className="h-6 rounded-sm border border-line bg-well px-1.5 font-mono text-xs text-ink-2 hover:border-line-strong hover:text-ink pointer-coarse:h-11"
        >
          {token}
        </button>
      ))}
      <details className="open:basis-full">
        <summary className="rounded-sm leading-5.5 underline decoration-line-strong underline-offset-4 pointer-coarse:leading-11">
          What these mean
        </summary>
        <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1">
          {tokens.map(({ token, meaning }) => (
            <div key={token} className="contents">
              <dt className="font-mono text-xs leading-4.5 text-ink-2">{token}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </details>
    </div>
  )
}
