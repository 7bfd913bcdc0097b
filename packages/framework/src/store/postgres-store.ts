import { StaleRevision } from '../protocol/errors.ts'
import { checkPositive } from './check-positive.ts'
import { toJsonText } from './json-text.ts'
import { checkKey, isKey } from './key.ts'
import { ask, type Queryable, type Tables } from './postgres-tables.ts'
import type { Store } from './store.ts'

/** Every save is one statement, so that no two processes can both win the same compare-and-swap. */
export function postgresStore(pool: Queryable, { entry, revision }: Tables): Store {
  const next = `nextval('${revision}')`
  const later = (parameter: string) => `now() + ${parameter}::double precision * interval '1 millisecond'`
  const insert = `insert into ${entry} as e (key, value, revision, expires_at)
    values ($1, $2, ${next}, ${later('$3')})
    on conflict (key) do update set value = excluded.value, revision = ${next}, expires_at = excluded.expires_at`
  const update = `update ${entry} set value = $2, revision = ${next}, expires_at = ${later('$3')}
    where key = $1 and revision = $4 and expires_at > now()`

  return {
    async load(key) {
      if (!isKey(key)) return undefined
      const text = `select value, revision from ${entry} where key = $1 and expires_at > now()`
      const [row] = await ask<{ value: string; revision: string }>(pool, text, [key])
      return row && { value: JSON.parse(row.value), revision: Number(row.revision) }
    },
    async save(key, value, { ttlMs, ifRevision }) {
      checkKey(key)
      checkPositive('ttlMs', ttlMs)
      const values: unknown[] = [key, toJsonText(value), ttlMs]
      let text = insert
      // What expired and was not swept yet counts as nothing.
      if (ifRevision === 0) text += ' where e.expires_at <= now()'
      else if (ifRevision !== undefined) {
        text = update
        values.push(ifRevision)
      }
      const [row] = await ask<{ revision: string }>(pool, `${text} returning revision`, values)
      if (row === undefined) throw new StaleRevision(key)
      return Number(row.revision)
    },
    async touch(key, ttlMs) {
      checkPositive('ttlMs', ttlMs)
      if (!isKey(key)) return false
      const text = `update ${entry} set expires_at = ${later('$2')} where key = $1 and expires_at > now() returning key`
      return (await ask(pool, text, [key, ttlMs])).length > 0
    },
    async delete(key) {
      if (isKey(key)) await ask(pool, `delete from ${entry} where key = $1`, [key])
    },
  }
}
