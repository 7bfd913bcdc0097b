import { Check, Copy } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { cn } from './cn.ts'

type Outcome = 'copied' | 'selected' | null

interface CodeBoxProps {
  readonly text: string
  /** Names it for the button: 'the command'. */
  readonly label: string
  /** For long texts: it scrolls in itself. */
  readonly isTall?: boolean
}

/** Text that a machine reads, with a button that copies it. */
export function CodeBox({ text, label, isTall }: CodeBoxProps) {
  const code = useRef<HTMLElement>(null)
  const [outcome, setOutcome] = useState<Outcome>(null)
  useEffect(() => {
    if (outcome === null) return
    const timer = setTimeout(() => setOutcome(null), 2000)
    return () => clearTimeout(timer)
  }, [outcome])

  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      setOutcome('copied')
    } catch {
      // Browsers give no clipboard to a page that is not on loopback or https: leave the text selected instead.
      if (code.current) getSelection()?.selectAllChildren(code.current)
      setOutcome('selected')
    }
  }

  return (
    <div className="flex items-start gap-1 rounded-md border border-line bg-well">
      <pre
        {...(isTall ? { tabIndex: 0, role: 'group', 'aria-label': label } : {})}
        className={cn(
          'min-w-0 flex-1 px-3 py-2 font-mono text-sm [overflow-wrap:anywhere] whitespace-pre-wrap',
          isTall && 'max-h-96 overflow-y-auto',
        )}
      >
        <code ref={code}>{text}</code>
      </pre>
      <output className="self-center text-xs whitespace-nowrap text-ink-2">
        {outcome === 'copied' && 'Copied'}
        {outcome === 'selected' && 'Press Ctrl C'}
      </output>
      <button
        type="button"
        aria-label={`Copy ${label}`}
        onClick={() => void copy()}
        className="grid size-8.5 shrink-0 place-items-center rounded-md text-ink-2 hover:text-ink pointer-coarse:size-11"
      >
        {outcome === 'copied' ? (
          <Check className="size-4 text-ok" aria-hidden />
        ) : (
          <Copy className="size-4" aria-hidden />
        )}
      </button>
    </div>
  )
}
