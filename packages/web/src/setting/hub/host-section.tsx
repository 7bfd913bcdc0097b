import { AccessSettingsPatch, readAllowedCommand, writeAllowedCommand, type AccessSettings } from '@herma/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../../api/client.ts'
import { accessSettingsQuery } from '../../api/queries.ts'
import { useForm } from '../../form/use-form.ts'
import { Card } from '../../ui/card.tsx'
import { LinesField } from '../../ui/form/lines-field.tsx'
import { Loaded } from '../../ui/page/page-state.tsx'
import { SettingForm } from '../setting-form.tsx'

/** What owners let admins have the hub run on its machine; anything else is for owners to set up. */
export function HostSection() {
  const settings = useQuery(accessSettingsQuery)
  return (
    <Card
      title="What admins may run"
      hint="An owner decides what runs on this machine. Admins may use what is listed here, and what owners have set up."
    >
      <Loaded query={settings} what="what admins may run">
        {(found) => <HostForm settings={found} />}
      </Loaded>
    </Card>
  )
}

function HostForm({ settings }: { settings: AccessSettings }) {
  const queries = useQueryClient()
  const saved = useMemo(() => toDraft(settings), [settings])
  const form = useForm({ initial: saved, schema: AccessSettingsPatch, toInput })
  const { draft, change, touch } = form
  async function save(body: AccessSettingsPatch) {
    const next = await api.updateAccessSettings({ body })
    queries.setQueryData(accessSettingsQuery.queryKey, next)
    form.reset(toDraft(next))
  }
  const problem = (path: string) =>
    form.problem(path) ?? form.problem(`${path}.args`) ?? form.problem(`${path}.command`)
  const lines = (id: keyof Draft) => ({
    id,
    value: draft[id],
    onChange: (text: string) => change({ [id]: text }),
    onBlur: () => touch(id),
    problem,
    optional: true,
  })
  return (
    <SettingForm id="host" changedBy="owner" form={form} save={save} saved={saved}>
      <LinesField
        {...lines('allowedCommands')}
        label="Commands"
        hint="One on each line, with all arguments; * stands for letters, digits, . _ and - in one of them. TOKEN= in front lets a variable be set."
        placeholder="TOKEN= npx -y @acme/server-*"
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2">
        <LinesField
          {...lines('allowedFolders')}
          label="Folders"
          hint="Where sessions and commands of admins may work. Tests there are programs that run."
          placeholder="/srv/projects"
        />
        <LinesField
          {...lines('allowedImages')}
          label="Container images"
          hint="Images that admins may use."
          placeholder="ghcr.io/acme/*:*"
        />
      </div>
    </SettingForm>
  )
}

type Draft = Readonly<Record<'allowedCommands' | 'allowedFolders' | 'allowedImages', string>>

function toDraft({ allowedCommands, allowedFolders, allowedImages }: AccessSettings): Draft {
  return {
    allowedCommands: allowedCommands.map(writeAllowedCommand).join('\n'),
    allowedFolders: allowedFolders.join('\n'),
    allowedImages: allowedImages.join('\n'),
  }
}

function toInput({ allowedCommands, allowedFolders, allowedImages }: Draft): unknown {
  return {
    allowedCommands: linesOf(allowedCommands).map(readAllowedCommand),
    allowedFolders: linesOf(allowedFolders),
    allowedImages: linesOf(allowedImages),
  }
}

// A command may hold a comma.
function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
