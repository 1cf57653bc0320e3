import { sql } from 'kysely'
import type { Clock } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import type { Caller, FieldError, RestAnswer } from '../../fleet/rest.ts'
import { failures } from '../failures.ts'
import { turns } from '../locking/turns.ts'
import { reading } from '../store/database.ts'
import type { Db, Tx } from '../store/tables.ts'
import { sqlState } from '../store/trouble.ts'
import type { ListedTable, Order, PageAsked, Start } from './list-sql.ts'
import { countStatement, estimateStatement, pageStatement } from './list-sql.ts'
import type { Condition } from './search.ts'
import { isMoment, isUuid, parseSearch, SearchMistake } from './search.ts'

type Json = Record<string, unknown>

export interface ListQuery {
  page: number
  size: number
  order?: string
  search?: string
  after?: string
  fields?: string
}

export interface Listing<Row> extends ListedTable {
  kind: string
  path: string
  fields: readonly string[]
  present(row: Row): Json
}

/** More are not counted. */
const mostCounted = 10_000
const patienceMs = 3_000

/**
 * One page. Its cost does not grow with the table: what comes after a key is looked up in an index (`after`, from the
 * link of the page before), no more than 10,000 rows are counted, and a search that reads too much is stopped.
 * A page asked for by its number alone skips what comes before it in the index.
 */
export async function listPage<Row extends Json>(db: Db, listing: Listing<Row>, query: ListQuery): Promise<RestAnswer> {
  const shown = pickerOf(listing.fields, query.fields)
  const asked = askedOf(listing, query)
  const { rows, counted } = await inTime(db, async (tx) => ({
    rows: (await pageStatement<Row>(listing, asked).execute(tx)).rows,
    counted: await countOf(tx, listing, asked.conditions),
  }))
  const items = rows.map((row) => shown(listing.present(row)))
  const last = rows.length === query.size ? rows.at(-1) : undefined
  return {
    status: 200,
    body: { kind: listing.kind, page: query.page, size: items.length, ...counted, items },
    ...(last && { headers: { link: nextLink(listing, query, String(last['list_key'])) } }),
  }
}

/** What a query asks for; throws PULL_INPUT with the field. */
export function askedOf(listing: ListedTable, { page, size, order: text, search, after }: ListQuery): PageAsked {
  const order = orderOf(listing, text ?? 'created_time desc')
  const start: Start = after === undefined ? { skip: (page - 1) * size } : { after: keyFrom(after, order, listing) }
  return { order, conditions: conditionsOf(listing, search), start, size }
}

function orderOf({ orders }: ListedTable, text: string): Order {
  const [name = '', direction = 'asc', ...more] = text.trim().split(/\s+/)
  const known = Object.hasOwn(orders, name) ? orders[name] : undefined
  if (!known || more.length > 0 || !['asc', 'desc'].includes(direction.toLowerCase()))
    throw mistaken('order', `must be ${Object.keys(orders).join(' or ')}, with asc or desc`, text)
  return { ...known, isDescending: direction.toLowerCase() === 'desc' }
}

function conditionsOf({ searched }: ListedTable, search: string | undefined): Condition[] {
  try {
    return parseSearch(search ?? '', searched)
  } catch (error) {
    if (error instanceof SearchMistake) throw mistaken(error.field, error.message)
    throw error
  }
}

/** Leaves of an item what `fields` names. */
export function pickerOf(known: readonly string[], fields: string | undefined): (item: Json) => Json {
  if (fields === undefined) return (item) => item
  const named = fields.split(',').map((name) => name.trim())
  const unknown = named.find((name) => !known.includes(name))
  if (unknown !== undefined) throw mistaken('fields', `must be out of ${known.join(', ')}`, unknown)
  const shown = new Set(['kind', 'id', ...named])
  return (item) => Object.fromEntries(Object.entries(item).filter(([name]) => shown.has(name)))
}

function mistaken(field: string, message: string, value?: string) {
  const isShort = value !== undefined && value.length <= 100
  const errors: FieldError[] = [{ field, ...(isShort && { value }), constraint: 'format', message }]
  const params = { count: 1, fields: `${field} ${message}`, errors }
  return failures.PULL_INPUT(params)
}

interface Counted {
  total: number
  total_relation: 'exact' | 'estimate' | 'at_least'
}

async function countOf(tx: Tx, listing: ListedTable, conditions: readonly Condition[]): Promise<Counted> {
  const counted = await countStatement(listing, conditions, mostCounted + 1).execute(tx)
  const total = Number(counted.rows[0]?.total ?? 0)
  if (total <= mostCounted) return { total, total_relation: 'exact' }
  if (conditions.length > 0) return { total: mostCounted, total_relation: 'at_least' }
  const estimated = await estimateStatement(listing).execute(tx)
  return { total: Math.max(mostCounted, Number(estimated.rows[0]?.total ?? 0)), total_relation: 'estimate' }
}

async function inTime<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await reading(() =>
      db.transaction().execute(async (tx) => {
        await sql`SET LOCAL statement_timeout = ${sql.raw(String(patienceMs))}`.execute(tx)
        return await work(tx)
      }),
    )
  } catch (error) {
    if (isFailure(error) && sqlState(error.cause) === '57014')
      throw mistaken('search', 'reads too much; add a condition on cluster_id, registry_id, state or created_time')
    throw error
  }
}

/** Opaque to callers: the order's value and the id of the last item, in base64url. */
function keyFrom(after: string, { type }: Order, { idType }: ListedTable): readonly [string, string] {
  const [value, id, ...more] = listFrom(Buffer.from(after, 'base64url').toString())
  const isKey =
    typeof value === 'string' &&
    typeof id === 'string' &&
    more.length === 0 &&
    (type === 'timestamptz' ? isMoment(value) : !value.includes('\0')) &&
    (idType === 'uuid' ? isUuid(id) : !id.includes('\0'))
  if (!isKey) throw mistaken('after', 'must come from the link of the page before')
  return [value, id]
}

function listFrom(json: string): unknown[] {
  try {
    const list: unknown = JSON.parse(json)
    return Array.isArray(list) ? list : []
  } catch {
    return []
  }
}

function nextLink<Row>({ path }: Listing<Row>, { page, size, order, search, fields }: ListQuery, key: string): string {
  const params = new URLSearchParams({
    page: String(page + 1),
    size: String(size),
    ...(order !== undefined && { order }),
    ...(search !== undefined && { search }),
    ...(fields !== undefined && { fields }),
    after: Buffer.from(key).toString('base64url'),
  })
  return `<${path}?${params}>; rel="next"`
}

/** Connections that lists may have of the ten or so that everybody shares: one list may read for seconds. */
const atOnce = 3
const waitMs = 10_000
const retryAfterSeconds = 5

/** Lists are read few at a time, and one at a time for each caller: pull secrets are not to wait for them. */
export function listTurns(clock: Pick<Clock, 'countdown'>) {
  const ofCaller = turns({ clock, waiters: 20 })
  const ofAll = turns({ clock, waiters: 100, places: atOnce })
  return async <T>(caller: Caller, read: () => Promise<T>): Promise<T> => {
    using own = await ofCaller.take(`${caller.kind}/${caller.name}`, waitMs)
    using place = own && (await ofAll.take('', waitMs))
    if (!place) throw failures.PULL_LISTS_BUSY({ retryAfterSeconds })
    return await read()
  }
}
