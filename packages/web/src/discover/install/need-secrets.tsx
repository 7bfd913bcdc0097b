import type { DiscoveryNeed } from '@herma/contract'
import { SecretHints } from '../../connector/form/secret-hints.tsx'

interface NeedSecretsProps {
  /** What the secrets are of: the beginning of their names. */
  readonly name: string
  readonly needs: readonly DiscoveryNeed[]
  readonly values: Readonly<Record<string, string>>
  readonly onChange: (values: Record<string, string>) => void
}

/** What was pasted where no secret is expected, and looks like one: it can be stored by name, as in the form of a connector. */
export function NeedSecrets({ name, needs, values, onChange }: NeedSecretsProps) {
  // Wherever a value goes, its name and its form say whether it is one.
  const env = needs.map((need) => ({
    name: need.name,
    value: values[need.id] ?? '',
    secret: need.isSecret,
    personal: false,
  }))
  const draft = { name, baseUrl: '', endpointPath: '', args: [], headers: [], env }
  const change = ({ env: next = [] }: { env?: readonly { readonly value?: string | undefined }[] }) =>
    onChange({ ...values, ...Object.fromEntries(needs.map(({ id }, index) => [id, next[index]?.value ?? ''])) })
  return <SecretHints form={{ draft, change }} field="env" />
}
