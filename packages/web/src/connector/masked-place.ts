import { type ConnectorDraft, findSecrets, type SecretFinding } from '@herma/contract'
import { mask } from './form/draft/preview-draft.ts'

/** Where a server is, in one line, without what looks like a secret in it. */
export function maskedPlace(found: ConnectorDraft): string {
  const secrets = findSecrets(found)
  const own = (field: SecretFinding['field'], index: number | null) =>
    secrets.filter((each) => each.field === field && each.index === index).toReversed()
  const hide = (text: string, from: readonly SecretFinding[]) =>
    from.reduce((rest, { start, end }) => rest.slice(0, start) + mask + rest.slice(end), text)
  if (found.baseUrl !== undefined) return hide(found.baseUrl, own('baseUrl', null))
  return [found.cmd, ...found.args.map((argument, index) => hide(argument, own('args', index)))].join(' ')
}
