import type { Role } from '@herma/contract'
import { useCallback, useMemo, useState, type ComponentType } from 'react'
import { useMay } from '../../api/me.ts'
import { LeaveGuard } from '../../ui/overlay/leave-guard.tsx'
import { Page } from '../../ui/page/page.tsx'
import { useShortcuts } from '../../ui/page/shortcuts.ts'
import { KeysSection } from '../access/keys-section.tsx'
import { RulesSection } from '../access/rules-section.tsx'
import { SignInSection } from '../access/sign-in-section.tsx'
import { UsersSection } from '../access/users-section.tsx'
import { YouSection } from '../access/you-section.tsx'
import { AboutSection } from '../hub/about-section.tsx'
import { BackupSection } from '../hub/backup-section.tsx'
import { ClusterSection } from '../hub/cluster-section.tsx'
import { ModelsSection } from '../hub/models-section.tsx'
import { HostSection } from '../hub/host-section.tsx'
import { ReachabilitySection } from '../hub/reachability-section.tsx'
import { AuditSection } from '../recording/audit-section.tsx'
import { ExportSection } from '../recording/export-section.tsx'
import { RetentionSection } from '../recording/retention-section.tsx'
import { SecretsSection } from '../secret/secrets-section.tsx'
import { DirtySections } from '../setting-form.tsx'
import { SectionNav } from './section-nav.tsx'

export interface SettingSection {
  /** Its anchor. */
  readonly id: string
  readonly title: string
  readonly group: string
  readonly role: Role
  readonly Body: ComponentType
}

const sections: readonly SettingSection[] = [
  { id: 'you', title: 'You', group: 'Access', role: 'viewer', Body: YouSection },
  { id: 'users', title: 'Users', group: 'Access', role: 'viewer', Body: UsersSection },
  { id: 'keys', title: 'API keys', group: 'Access', role: 'viewer', Body: KeysSection },
  { id: 'rules', title: 'Rules of access', group: 'Access', role: 'viewer', Body: RulesSection },
  { id: 'sign-in', title: 'Sign-in providers', group: 'Access', role: 'viewer', Body: SignInSection },
  { id: 'models', title: 'Model providers', group: 'Secrets', role: 'viewer', Body: ModelsSection },
  { id: 'secrets', title: 'Secrets', group: 'Secrets', role: 'viewer', Body: SecretsSection },
  { id: 'retention', title: 'Retention', group: 'Recording', role: 'viewer', Body: RetentionSection },
  { id: 'export', title: 'Export', group: 'Recording', role: 'viewer', Body: ExportSection },
  { id: 'audit', title: 'Audit log', group: 'Recording', role: 'admin', Body: AuditSection },
  { id: 'reachability', title: 'Reachability', group: 'Hub', role: 'viewer', Body: ReachabilitySection },
  { id: 'host', title: 'What admins may run', group: 'Hub', role: 'viewer', Body: HostSection },
  { id: 'cluster', title: 'Cluster', group: 'Hub', role: 'viewer', Body: ClusterSection },
  { id: 'backup', title: 'Backup', group: 'Hub', role: 'owner', Body: BackupSection },
  { id: 'about', title: 'About', group: 'Hub', role: 'viewer', Body: AboutSection },
]

/** Everything about the hub itself, on one page; each part is saved by itself. */
export default function SettingsPage() {
  const [isOwner, isAdmin] = [useMay('owner'), useMay('admin')]
  const shown = sections.filter(({ role }) => isOwner || role === 'viewer' || (role === 'admin' && isAdmin))
  const [dirty, setDirty] = useState<ReadonlySet<string>>(new Set())
  const tell = useCallback((id: string, isDirty: boolean) => {
    setDirty((last) => {
      if (last.has(id) === isDirty) return last
      const next = new Set(last)
      if (isDirty) next.add(id)
      else next.delete(id)
      return next
    })
  }, [])
  useShortcuts(useMemo(() => ({ 'mod+s': saveForms }), []))
  return (
    <Page title="Settings" width="wide" className="max-w-[1180px]">
      <DirtySections value={tell}>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-x-8 gap-y-4 lg:grid-cols-[168px_minmax(0,1fr)]">
          <SectionNav sections={shown} dirty={dirty} />
          <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-6">
            {shown.map(({ id, Body }) => (
              <div key={id} id={id} tabIndex={-1} data-section className="outline-none">
                <Body />
              </div>
            ))}
          </div>
        </div>
      </DirtySections>
      <LeaveGuard isDirty={dirty.size > 0} />
    </Page>
  )
}

/** Saves the form that is being written in, or all that were changed. */
function saveForms(): void {
  const current = document.activeElement?.closest('form')
  const forms = current ? [current] : document.querySelectorAll<HTMLFormElement>('form[data-dirty="true"]')
  for (const form of forms) form.requestSubmit()
}
