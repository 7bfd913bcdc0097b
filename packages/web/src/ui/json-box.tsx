import { Download } from 'lucide-react'
import { IconButton } from './button.tsx'
import { CodeBox } from './code-box.tsx'

interface JsonBoxProps {
  readonly value: unknown
  /** Names it for the buttons: 'the effective configuration'. */
  readonly label: string
  /** The name of the file, when it can be downloaded. */
  readonly file?: string
}

/** A value as JSON, to read, copy and keep. */
export function JsonBox({ value, label, file }: JsonBoxProps) {
  const text = JSON.stringify(value, null, 2) ?? 'undefined'
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1">
      <CodeBox text={text} label={label} isTall />
      {file !== undefined && (
        <div className="justify-self-end">
          <IconButton label={`Download ${label}`} onClick={() => download(file, text)}>
            <Download aria-hidden />
          </IconButton>
        </div>
      )}
    </div>
  )
}

/** Saves text that is on the page as a file. */
export function download(file: string, text: string, type = 'application/json'): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = file
  link.click()
  // The browser has its own hold on the blob by then.
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}
