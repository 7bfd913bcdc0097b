import { readFile } from 'node:fs/promises'
import type { User } from '../../platform/hidden-state/find-hiding.ts'

export interface NamedUser extends User {
  readonly name: string
  /** Null where the machine does not know the user. */
  readonly home: string | null
}

/** A user of the machine by name, or by `uid` or `uid:gid`, which the machine need not know. */
export async function findUser(wanted: string, passwd = '/etc/passwd'): Promise<NamedUser | null> {
  const lines = (await readFile(passwd, 'utf8').catch(() => '')).split('\n').map((line) => line.split(':'))
  const [uid, gid = uid] = wanted.split(':')
  const isNumber = /^\d+$/.test(uid!)
  const found = lines.find(([name, , id]) => (isNumber ? id === uid : name === wanted))
  if (found === undefined) return isNumber ? { name: wanted, uid: Number(uid), gid: Number(gid), home: null } : null
  const [name = wanted, , id, group, , home = ''] = found
  const chosen = isNumber && wanted.includes(':') ? gid : group
  return { name, uid: Number(id), gid: Number(chosen), home: home || null }
}
