import { randomUUID } from 'node:crypto'
import {
  type Connector,
  ConnectorInput,
  type ConnectorOAuth,
  ConnectorOptions,
  HubError,
  LastTest,
  type NamedValue,
  Transport,
} from '@herma/contract'
import { and, asc, eq, getTableColumns, gt, sql, type AnyColumn } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { z } from 'zod'
import { isPermanentFailure, readErrorCode, readRootMessage } from '../../platform/postgres/sql-state.ts'
import { isSecretName, type Renew, type SealedPlace, type Sealer } from '../../secret/index.ts'
import { readJson, writeJson } from '../../wire/index.ts'
import { resealRow } from './reseal-row.ts'
import { placeOf, type SecretTimes, stampSecrets } from './secret-times.ts'
import { distinctions, type Distinction } from '../supervision/distinction.ts'
import { connectorTable, descriptorSnapshotTable } from './table.ts'

export interface StoredConnector {
  readonly id: string
  /** Creation order. */
  readonly position: number
  /** Secret values are in clear here, in memory only. */
  readonly connector: Connector
  readonly changedAt: SecretTimes
  readonly createdAt: Date
  readonly updatedAt: Date
  /** Null when nobody has tested it so far. */
  readonly lastTest: LastTest | null
  /** Why the row cannot be served, when it cannot; then `connector` holds what could be read of it. */
  readonly problem: string | null
}

/** What a downstream offered when it was last asked, exactly as it said it. */
export interface DescriptorSnapshot {
  readonly fetchedAt: Date
  readonly era: 'legacy' | 'modern'
  readonly revision: string
  /** The transport that it was found to speak; null where that was not looked at. */
  readonly transport: Transport | null
  /** The result of `initialize` or `server/discover`. */
  readonly handshake: unknown
  readonly tools: unknown[]
  readonly resources: unknown[]
  readonly resourceTemplates: unknown[]
  readonly prompts: unknown[]
  /** What it was seen to tell its clients apart by. */
  readonly distinctions: readonly Distinction[]
}

type ConnectorRow = typeof connectorTable.$inferSelect

/** The rows of connectors and of what they last offered. It is the only place that sees secrets sealed. */
export class ConnectorStore implements SealedPlace {
  readonly name = 'connectors'
  readonly #db: NodePgDatabase
  readonly #sealer: Sealer

  constructor(db: NodePgDatabase, sealer: Sealer) {
    this.#db = db
    this.#sealer = sealer
  }

  /** By position. A bad row comes with its problem instead of failing the others. */
  async loadAll(): Promise<StoredConnector[]> {
    const rows = await this.#db.select().from(connectorTable).orderBy(asc(connectorTable.position))
    return rows.map((row) => readRow(row, this.#sealer))
  }

  /** Throws CONNECTOR_EXISTS when the name is taken, in whatever case. */
  async insert(connector: Connector): Promise<StoredConnector> {
    const id = randomUUID()
    const changedAt = stampSecrets(connector, null, new Date())
    const fields = writeFields(id, connector, { sealer: this.#sealer, changedAt })
    const rows = await this.#db
      .insert(connectorTable)
      .values({ id, ...fields })
      .returning(generatedColumns)
      .catch((error: unknown) => rejectWrite(error, connector.name))
    return stored(id, { connector, changedAt }, rows[0])
  }

  /**
   * Replaces every field. Throws CONNECTOR_NOT_FOUND for a removed connector, CONNECTOR_EXISTS for a taken name. Secret
   * values that are as before keep the time of their last change.
   */
  async update(
    id: string,
    connector: Connector,
    before: Pick<StoredConnector, 'connector' | 'changedAt'> | null = null,
  ): Promise<StoredConnector> {
    const changedAt = stampSecrets(connector, before, new Date())
    const fields = writeFields(id, connector, { sealer: this.#sealer, changedAt })
    const rows = await this.#db
      .update(connectorTable)
      .set({ ...fields, updatedAt: sql`now()` })
      .where(eq(connectorTable.id, id))
      .returning(generatedColumns)
      .catch((error: unknown) => rejectWrite(error, connector.name))
    return stored(id, { connector, changedAt }, rows[0])
  }

  /** Does nothing for a connector that was removed meanwhile. */
  async saveTest(id: string, lastTest: LastTest): Promise<void> {
    await this.#db.update(connectorTable).set({ lastTest }).where(eq(connectorTable.id, id))
  }

  /** Removes the snapshot too. A connector that is already gone is fine. */
  async remove(id: string): Promise<void> {
    await this.#db.delete(connectorTable).where(eq(connectorTable.id, id))
  }

  async reseal(renew: Renew, after: string | null): Promise<string | null> {
    const { id, headers, env, oauth } = connectorTable
    return await this.#db.transaction(async (db) => {
      const rows = await db
        .select({ id, headers, env, oauth })
        .from(connectorTable)
        .where(after === null ? undefined : gt(id, after))
        .orderBy(asc(id))
        .limit(resealBatch)
      for (const row of rows) {
        const changes = resealRow(row, renew)
        if (changes === null) continue
        const isAsRead = [
          eq(headers, row.headers),
          eq(env, row.env),
          sql`${oauth} is not distinct from ${row.oauth === null ? null : JSON.stringify(row.oauth)}::jsonb`,
        ]
        // A row that was changed meanwhile is not the one that was read, and stays.
        await db
          .update(connectorTable)
          .set(changes)
          .where(and(eq(id, row.id), ...isAsRead))
      }
      return rows.length < resealBatch ? null : rows.at(-1)!.id
    })
  }

  /** By connector id. */
  async loadSnapshots(): Promise<Map<string, DescriptorSnapshot>> {
    // As text, because what is parsed is not always what the server wrote.
    const { tools, resources, resourceTemplates, prompts, ...columns } = getTableColumns(descriptorSnapshotTable)
    const lists = { tools, resources, resourceTemplates, prompts }
    const rows = await this.#db.select({ ...columns, ...mapLists(lists, asText) }).from(descriptorSnapshotTable)
    const snapshots = new Map<string, DescriptorSnapshot>()
    for (const { connectorId, ...row } of rows) {
      const parsed = StoredSnapshot.safeParse({ ...row, ...mapLists(row, readJson) })
      // A snapshot only saves a round trip; a bad one is as good as none.
      if (parsed.success) snapshots.set(connectorId, parsed.data)
    }
    return snapshots
  }

  /** Does nothing for a connector that was removed meanwhile. */
  async saveSnapshot(id: string, snapshot: DescriptorSnapshot): Promise<void> {
    const fields = { ...snapshot, ...mapLists(snapshot, asJson), handshake: snapshot.handshake ?? {} }
    try {
      await this.#db
        .insert(descriptorSnapshotTable)
        .values({ connectorId: id, ...fields })
        .onConflictDoUpdate({ target: descriptorSnapshotTable.connectorId, set: fields })
    } catch (error) {
      if (readErrorCode(error) !== foreignKeyViolation) throw error
    }
  }
}

const listNames = ['tools', 'resources', 'resourceTemplates', 'prompts'] as const

function mapLists<From, To>(
  lists: Readonly<Record<(typeof listNames)[number], From>>,
  map: (list: From) => To,
): Record<(typeof listNames)[number], To> {
  const mapped = listNames.map((name) => [name, map(lists[name])] as const)
  return Object.fromEntries(mapped) as Record<(typeof listNames)[number], To>
}

const asText = (column: AnyColumn) => sql<string>`${column}::text`
const asJson = (list: readonly unknown[]) => sql`${`[${list.map(writeJson).join(',')}]`}::json`

// https://www.postgresql.org/docs/18/errcodes-appendix.html
const foreignKeyViolation = '23503'
const uniqueViolation = '23505'

const resealBatch = 50

const generatedColumns = {
  position: connectorTable.position,
  createdAt: connectorTable.createdAt,
  updatedAt: connectorTable.updatedAt,
  lastTest: connectorTable.lastTest,
}

/** A header or variable at rest: a secret has `sealed` in place of `value`. */
const StoredValue = z.object({
  name: z.string(),
  value: z.string().optional(),
  sealed: z.string().optional(),
  /** When a secret value last changed. */
  changedAt: z.iso.datetime().optional().catch(undefined),
  secret: z.boolean().optional(),
  personal: z.boolean().optional(),
})
type StoredValue = z.infer<typeof StoredValue>

const StoredSnapshot = z.object({
  fetchedAt: z.date(),
  era: z.enum(['legacy', 'modern']),
  revision: z.string(),
  transport: Transport.nullable(),
  handshake: z.unknown(),
  tools: z.array(z.unknown()),
  resources: z.array(z.unknown()),
  resourceTemplates: z.array(z.unknown()),
  prompts: z.array(z.unknown()),
  // What another version knew of is learnt again.
  distinctions: z.array(z.enum(distinctions)).catch([]),
})

function stored(
  id: string,
  { connector, changedAt }: Pick<StoredConnector, 'connector' | 'changedAt'>,
  generated: GeneratedFields | undefined,
): StoredConnector {
  if (generated)
    return { id, connector, changedAt, ...generated, lastTest: readTest(generated.lastTest), problem: null }
  throw new HubError('CONNECTOR_NOT_FOUND', `'${connector.name}' was removed meanwhile. See: herma list`)
}

interface GeneratedFields extends Pick<StoredConnector, 'position' | 'createdAt' | 'updatedAt'> {
  readonly lastTest: unknown
}

/** What a newer version wrote is as good as no test. */
function readTest(value: unknown): LastTest | null {
  return LastTest.nullable().catch(null).parse(value)
}

function rejectWrite(error: unknown, name: string): never {
  if (readErrorCode(error) === uniqueViolation) {
    throw new HubError(
      'CONNECTOR_EXISTS',
      `A connector named '${name}' exists already. Choose another name, or change it with: herma edit ${name}`,
      { cause: error },
    )
  }
  if (isPermanentFailure(error)) {
    throw new HubError('CONNECTOR_INVALID', `The store cannot hold '${name}': ${readRootMessage(error)}`, {
      cause: error,
    })
  }
  throw error
}

interface Sealing {
  readonly sealer: Sealer
  readonly changedAt: SecretTimes
}

function writeFields(id: string, connector: Connector, { sealer, changedAt }: Sealing) {
  const writeValues = (field: 'headers' | 'env') =>
    connector[field].map((row) => {
      const at = changedAt[placeOf(field, row.name)]
      return {
        ...sealValue(row, `connector:${id}:${field}:${row.name}`, sealer),
        ...(at !== undefined && { changedAt: at }),
      }
    })
  return {
    name: connector.name,
    description: connector.description,
    kind: connector.kind,
    enabled: connector.enabled,
    transport: connector.transport,
    baseUrl: connector.baseUrl ?? null,
    endpointPath: connector.endpointPath ?? null,
    headers: writeValues('headers'),
    cmd: connector.cmd ?? null,
    args: connector.args,
    env: writeValues('env'),
    workingDir: connector.workingDir ?? null,
    isolation: connector.isolation ?? null,
    oauth: connector.oauth === undefined ? null : sealOAuth(id, connector.oauth, sealer),
    options: connector.options,
    notes: connector.notes,
  }
}

function sealValue({ value, ...named }: NamedValue, context: string, sealer: Sealer): StoredValue {
  const isSecret = named.secret ?? isSecretName(named.name)
  return isSecret && value !== undefined ? { ...named, sealed: sealer.seal(value, context) } : { ...named, value }
}

const oauthSecrets = ['clientSecret', 'privateKey'] as const

/** Settings of a sign-in at rest: secrets are sealed apart. */
const StoredOAuth = z.looseObject({ sealed: z.partialRecord(z.enum(oauthSecrets), z.string()) })

function sealOAuth(id: string, oauth: ConnectorOAuth, sealer: Sealer): z.infer<typeof StoredOAuth> {
  const { clientSecret, privateKey, ...open } = oauth
  const secrets = Object.entries({ clientSecret, privateKey }).filter(([, value]) => value !== undefined)
  const sealed = secrets.map(([name, value]) => [name, sealer.seal(value!, `connector:${id}:oauth:${name}`)])
  return { ...open, sealed: Object.fromEntries(sealed) }
}

function readOAuth(row: ConnectorRow, sealer: Sealer, problems: string[]): unknown {
  if (row.oauth === null) return undefined
  const parsed = StoredOAuth.safeParse(row.oauth)
  // What it is instead is said by the schema of the connector.
  if (!parsed.success) return row.oauth
  const { sealed, ...oauth } = parsed.data
  for (const name of oauthSecrets) {
    const value = sealed[name]
    if (value === undefined) continue
    try {
      oauth[name] = sealer.open(value, `connector:${row.id}:oauth:${name}`)
    } catch (error) {
      problems.push(`oauth.${name}: ${(error as Error).message}`)
    }
  }
  return oauth
}

function readRow(row: ConnectorRow, sealer: Sealer): StoredConnector {
  const problems: string[] = []
  const fields = {
    name: row.name,
    description: row.description,
    kind: row.kind,
    enabled: row.enabled,
    transport: row.transport,
    baseUrl: row.baseUrl ?? undefined,
    endpointPath: row.endpointPath ?? undefined,
    headers: readValues(row, 'headers', sealer, problems),
    cmd: row.cmd ?? undefined,
    args: row.args,
    env: readValues(row, 'env', sealer, problems),
    workingDir: row.workingDir ?? undefined,
    isolation: row.isolation ?? undefined,
    oauth: readOAuth(row, sealer, problems),
    options: row.options,
    notes: row.notes,
  }
  const parsed = ConnectorInput.safeParse(fields)
  if (!parsed.success) problems.push(...parsed.error.issues.map(describeIssue))
  const connector = parsed.success ? parsed.data : keepReadable(fields, parsed.error)
  const { id, position, createdAt, updatedAt } = row
  const lastTest = readTest(row.lastTest)
  const problem = problems.length > 0 ? problems.join(' ') : null
  const changedAt = { ...readTimes(row, 'headers'), ...readTimes(row, 'env') }
  return { id, position, connector, changedAt, createdAt, updatedAt, lastTest, problem }
}

function readValues(row: ConnectorRow, field: 'headers' | 'env', sealer: Sealer, problems: string[]): NamedValue[] {
  const parsed = z.array(StoredValue).safeParse(row[field])
  if (!parsed.success) {
    problems.push(...parsed.error.issues.map((issue) => describeIssue({ ...issue, path: [field, ...issue.path] })))
    return []
  }
  return parsed.data.map(({ sealed, changedAt: _, ...value }) => {
    if (sealed === undefined) return value
    try {
      return { ...value, value: sealer.open(sealed, `connector:${row.id}:${field}:${value.name}`) }
    } catch (error) {
      problems.push(`${field}.${value.name}: ${(error as Error).message}`)
      return value
    }
  })
}

function readTimes(row: ConnectorRow, field: 'headers' | 'env'): SecretTimes {
  const { data = [] } = z.array(StoredValue).safeParse(row[field])
  return Object.fromEntries(
    data.flatMap(({ name, sealed, changedAt }) =>
      sealed === undefined || changedAt === undefined ? [] : [[placeOf(field, name), changedAt]],
    ),
  )
}

function describeIssue(issue: { path: PropertyKey[]; message: string }): string {
  return `${issue.path.map(String).join('.')}: ${issue.message}`
}

// The row must still be listed, edited and removed, so what could not be read is left at its default.
function keepReadable(fields: Record<string, unknown>, error: z.ZodError): Connector {
  const unreadable = new Set(error.issues.map((issue) => issue.path[0]))
  const readable = Object.entries(fields).filter(([name]) => name === 'name' || !unreadable.has(name))
  const defaults = { kind: 'client', transport: 'stdio', args: [], options: ConnectorOptions.parse({}) }
  return { ...defaults, ...Object.fromEntries(readable) } as unknown as Connector
}
