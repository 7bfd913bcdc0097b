/** What the address of the settings holds: the filter of the audit log. */
export function readSettingSearch({ audit }: Record<string, unknown>): { audit?: string } {
  return typeof audit === 'string' ? { audit } : {}
}
