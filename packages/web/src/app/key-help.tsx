import { Dialog } from '../ui/overlay/dialog.tsx'
import { navigation } from './navigation.ts'

const keys: readonly (readonly [string, string])[] = [
  ['Ctrl K', 'Search and run'],
  ['Ctrl S', 'Save the form'],
  ['/', 'Go to the filter; Enter leads on to the first row'],
  ['j  k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['Esc', 'Close'],
  ['Space, arrows', 'Pick up and move what can be reordered'],
  ['Alt arrows', 'Move it without picking it up'],
  ...navigation.flatMap(({ pages }) => pages.map(({ key, label }) => [`g  ${key}`, `Go to ${label}`] as const)),
]

/** Which keys do what. */
export default function KeyHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog isOpen title="Keyboard" onClose={onClose}>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 p-4">
        {keys.map(([key, what]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="rounded-sm border border-line bg-well px-1.5 font-mono text-xs whitespace-pre">{key}</kbd>
            </dt>
            <dd className="text-ink-2">{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
