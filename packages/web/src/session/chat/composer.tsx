import { ArrowUp, Folder, Square } from 'lucide-react'
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { useMay } from '../../api/me.ts'
import { PathField } from '../../form/path-field.tsx'
import { Button } from '../../ui/button.tsx'

interface ComposerProps {
  readonly session: string
  /** Under which the unsent text is kept. */
  readonly draftKey: string
  readonly isRunning: boolean
  readonly workingDir: string | null
  /** False when it could not be sent, so that the text stays. */
  readonly onSend: (text: string, cwd: string | undefined) => Promise<boolean>
  readonly onStop: () => void
}

/** Where one says something. Enter sends, Shift and Enter begins a new line. */
export function Composer({ session, draftKey, isRunning, workingDir, onSend, onStop }: ComposerProps) {
  const canBrowse = useMay('admin')
  const box = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(() => readDraft(draftKey))
  const [cwd, setCwd] = useState('')
  const [isSending, setSending] = useState(false)
  useEffect(() => {
    // A keyboard on the glass would hide what is being talked about.
    if (matchMedia('(pointer: fine)').matches) box.current?.focus()
  }, [])

  function change(next: string) {
    setText(next)
    keepDraft(draftKey, next)
  }
  async function submit() {
    // What is in the box, since somebody who pastes and presses Enter is faster than the next rendering.
    const said = (box.current?.value ?? text).trim()
    if (said === '' || isRunning || isSending) return box.current?.focus()
    change('')
    setSending(true)
    const isSent = await onSend(said, cwd.trim() === '' ? undefined : cwd.trim())
    setSending(false)
    if (!isSent) change(said)
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    void submit()
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
      className="grid grid-cols-[minmax(0,1fr)] gap-1.5"
    >
      <div className="field-box flex items-end gap-1 rounded-lg p-1.5">
        <div className="grid max-h-[40dvh] min-h-8 min-w-0 flex-1 overflow-y-auto *:col-start-1 *:row-start-1 *:min-w-0 *:px-2 *:py-1.5 *:text-base pointer-coarse:*:text-lg">
          {/* The same text makes the box as high as it needs to be. */}
          <div aria-hidden className="invisible [overflow-wrap:anywhere] whitespace-pre-wrap">
            {`${text} `}
          </div>
          <textarea
            ref={box}
            rows={1}
            value={text}
            aria-label={`Message to ${session}`}
            placeholder={`Message ${session}`}
            onChange={(event) => change(event.target.value)}
            onKeyDown={onKeyDown}
            className="resize-none overflow-hidden bg-transparent [overflow-wrap:anywhere] text-ink outline-none placeholder:text-ink-3"
          />
        </div>
        {isRunning ? (
          <Button onClick={onStop} aria-label="Stop this turn">
            <Square aria-hidden />
            Stop
          </Button>
        ) : (
          <Button type="submit" variant="primary" pending={isSending} aria-label="Send">
            {!isSending && <ArrowUp aria-hidden />}
            Send
          </Button>
        )}
      </div>
      <details className="text-sm text-ink-3">
        <summary className="flex w-fit max-w-full cursor-pointer list-none items-center gap-1.5 rounded-sm hover:text-ink pointer-coarse:min-h-11">
          <Folder className="size-3.5 shrink-0" aria-hidden />
          <span className="truncate">{cwd || workingDir || 'No folder: files are out of reach'}</span>
        </summary>
        <div className="mt-1.5 grid gap-1">
          <PathField
            kind="folder"
            label="the folder to work in"
            aria-label="Folder to work in"
            placeholder={workingDir ?? '/path/to/a/project'}
            value={cwd}
            onChange={setCwd}
            canBrowse={canBrowse}
          />
          <p>For the next message. Empty = {workingDir ?? 'none'}.</p>
        </div>
      </details>
    </form>
  )
}

const maxDrafts = 100
const drafts = new Map<string, string>()

/** What was typed and not sent, by thread, as long as the page is open. */
export function readDraft(key: string): string {
  return drafts.get(key) ?? ''
}

export function keepDraft(key: string, text: string): void {
  drafts.delete(key)
  if (text !== '') drafts.set(key, text)
  const [oldest] = drafts.keys()
  if (drafts.size > maxDrafts && oldest !== undefined) drafts.delete(oldest)
}
