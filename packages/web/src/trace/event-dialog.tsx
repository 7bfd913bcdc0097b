import type { EventView } from '@herma/contract'
import { Dialog } from '../ui/dialog.tsx'
import { formatTime } from '../ui/format.ts'
import { JsonBox } from '../ui/json-box.tsx'

/** An event that belongs to no trace, such as the start of the hub. */
export function EventDialog({ event, onClose }: { event: EventView; onClose: () => void }) {
  return (
    <Dialog isOpen title={event.kind} hint={formatTime(event.at)} onClose={onClose}>
      <div className="p-4">
        <JsonBox value={event} label="the event" file={`event-${event.id}.json`} />
      </div>
    </Dialog>
  )
}
