import { ConfigError } from '../protocol/errors.ts'

/** The part of `pg.Pool` that is used here. */
export interface Queryable {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: unknown[]; readonly rowCount: number | null }>
}

/** The names of what is kept in PostgreSQL, quoted for use in statements. */
export interface Tables {
  readonly entry: string
  readonly stream: string
  readonly event: string
  readonly revision: string
}

export interface TableOptions {
  /** Created when it is missing; without one, the first of the connection's `search_path`. */
  readonly schema?: string
  /** How the names of the tables begin. */
  readonly prefix?: string
}

// Longer names would be cut by PostgreSQL, at 63 characters.
const identifier = /^[a-z_][a-z\d_]{0,39}$/

/** Names the tables. Refuses names that would need more than quoting. */
export function nameTables({ schema, prefix = 'mcp_' }: TableOptions): Tables {
  for (const [option, value] of Object.entries({ schema, prefix })) {
    if (value === undefined || identifier.test(value)) continue
    const fix = `Give at most 40 lower-case letters, digits and underscores, the first of them no digit.`
    throw new ConfigError(`The ${option} '${value}' is no name for PostgreSQL.`, fix)
  }
  const name = (table: string) => (schema === undefined ? '' : `"${schema}".`) + `"${prefix}${table}"`
  return { entry: name('entry'), stream: name('stream'), event: name('event'), revision: name('revision') }
}

/**
 * The statement that creates what is missing. It is one statement, hence one transaction, so the lock works through
 * a pool and a pooler; it creates nothing that exists, so a role without the right to create may run it later.
 */
export function createTablesStatement(tables: Tables, schema: string | undefined): string {
  // Neither `expires_at` is indexed: putting off an expiry then leaves all indexes alone, and sweeps are rare.
  return `do $tables$ begin
    perform pg_advisory_xact_lock(hashtextextended('${tables.entry}', 0));
    ${schema === undefined ? '' : `if to_regnamespace('"${schema}"') is null then create schema "${schema}"; end if;`}
    if to_regclass('${tables.revision}') is null then
      create sequence ${tables.revision};
    end if;
    if to_regclass('${tables.entry}') is null then
      create table ${tables.entry} (
        key text collate "C" primary key,
        value text not null,
        revision bigint not null,
        expires_at timestamptz not null
      ) with (fillfactor = 80);
    end if;
    if to_regclass('${tables.stream}') is null then
      create table ${tables.stream} (
        id uuid primary key default gen_random_uuid(),
        name text collate "C" not null unique,
        last bigint not null,
        expires_at timestamptz not null
      ) with (fillfactor = 80);
    end if;
    if to_regclass('${tables.event}') is null then
      create table ${tables.event} (
        stream uuid not null references ${tables.stream} on delete cascade,
        position bigint not null,
        message text not null,
        primary key (stream, position)
      );
    end if;
  end $tables$`
}

/** Runs a statement; says what to do when the tables are missing. */
export async function ask<Row>(pool: Queryable, text: string, values: unknown[]): Promise<readonly Row[]> {
  try {
    const { rows } = await pool.query(text, values)
    return rows as Row[]
  } catch (error) {
    if ((error as { code?: unknown }).code !== '42P01') throw error
    throw new ConfigError('The tables of the store are missing.', 'Call prepare() of the backend once before serving.')
  }
}
