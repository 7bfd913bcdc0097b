import { Backup } from '@herma/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Download, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { api, rawApi } from '../../api/client.ts'
import { useStatus } from '../../api/queries.ts'
import { saveAnswer } from '../../api/save-answer.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Failure } from '../../ui/page/page-state.tsx'
import { Facts } from '../../ui/rows.tsx'
import { RestorePlan } from './restore-plan.tsx'

/** Takes the configuration out as one file, and puts it back. */
export function BackupSection() {
  const { data: status } = useStatus()
  const [chosen, setChosen] = useState<{ readonly name: string; readonly file: Backup } | null>(null)
  const picker = useRef<HTMLInputElement>(null)
  const queries = useQueryClient()
  const write = useMutation({
    mutationFn: async () => saveAnswer(await rawApi.writeBackup({}, { timeoutMs: 120_000 }), 'herma-backup.json'),
  })
  const restore = useMutation({
    mutationFn: ({ file, plan }: { file: Backup; plan: boolean }) =>
      api.restoreBackup({ body: { file, plan } }, { timeoutMs: 120_000 }),
    onSuccess: ({ plan }) => (plan ? undefined : queries.invalidateQueries()),
  })
  const read = useMutation({
    mutationFn: async (file: File) => ({ name: file.name, file: parseBackup(file.name, await file.text()) }),
    onSuccess: (next) => {
      setChosen(next)
      restore.mutate({ file: next.file, plan: true })
    },
  })
  return (
    <Card
      title="Backup"
      hint="One file with everything that configures this hub, without stored secrets and keys. Keep the master key in another place than copies of the database."
      actions={
        <div className="flex flex-wrap gap-2">
          <Button size="sm" pending={write.isPending} onClick={() => write.mutate()}>
            <Download aria-hidden /> Download
          </Button>
          <Button size="sm" pending={read.isPending} onClick={() => picker.current?.click()}>
            <Upload aria-hidden /> Restore…
          </Button>
        </div>
      }
    >
      <input
        ref={picker}
        type="file"
        accept="application/json,.json"
        aria-label="Backup file"
        className="sr-only"
        tabIndex={-1}
        onChange={({ target }) => {
          const file = target.files?.[0]
          if (file !== undefined) read.mutate(file)
          // The same file can be chosen again.
          target.value = ''
        }}
      />
      <Facts
        facts={[
          ['In the file', 'Connectors, sessions, bindings, servers, teams, overrides, rules, users and settings'],
          ['Not in it', 'Secrets, passwords and recorded calls. They are entered again after a restore.'],
          [
            'For all of it',
            <BothPlaces key="both" stateHome={status?.stateHome} isEmbedded={status?.store.kind !== 'external'} />,
          ],
        ]}
      />
      {write.error !== null && <Failure title="The file could not be made." error={write.error} />}
      {read.error !== null && <Failure title="The file was not read." error={read.error} />}
      {restore.error !== null && <Failure title="It was not restored." error={restore.error} />}
      {chosen !== null && restore.data !== undefined && (
        <RestorePlan
          name={chosen.name}
          report={restore.data}
          isPending={restore.isPending}
          onRestore={() => restore.mutate({ file: chosen.file, plan: false })}
          onClose={() => {
            setChosen(null)
            restore.reset()
          }}
        />
      )}
    </Card>
  )
}

function BothPlaces({ stateHome, isEmbedded }: { stateHome: string | undefined; isEmbedded: boolean }) {
  return (
    <>
      Copy {isEmbedded ? 'the state home' : 'your PostgreSQL database'} and the master key, in different places: each is
      useless without the other. The state home is <code className="font-mono text-sm">{stateHome}</code>
      {isEmbedded && '; stop the hub before you copy it'}.
    </>
  )
}

function parseBackup(name: string, text: string): Backup {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new Error(`${name} is no JSON. Choose a file that was downloaded here.`, { cause })
  }
  const backup = Backup.safeParse(value)
  if (!backup.success) throw new Error(`${name}: ${backup.error.issues[0]?.message ?? 'This is no backup of Herma.'}`)
  return backup.data
}
