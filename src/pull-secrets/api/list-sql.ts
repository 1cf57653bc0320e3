/** The statements of a list. Columns come from its declaration, values go as parameters. */
import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Condition, SearchField } from './search.ts'

/** A table that is listed. `orders` and what is searched most have indexes, or a page would cost the whole table. */
export interface ListedTable {
  table: string
  /** Unique, and in every index of `orders` behind its column. */
  idColumn: string
  idType: 'text' | 'uuid'
  /** Columns of the rows, as SQL. */
  select: string
  orders: Readonly<Record<string, OrderColumn>>
  searched: Readonly<Record<string, SearchField & { column: string }>>
}

export interface OrderColumn {
  column: string
  type: 'timestamptz' | 'text'
}

export interface Order extends OrderColumn {
  isDescending: boolean
}

/** Where a page begins: behind the last item of the page before, or so many items from the start. */
export type Start = { after: readonly [value: string, id: string] } | { skip: number }

export interface PageAsked {
  order: Order
  conditions: readonly Condition[]
  start: Start
  size: number
}

/** The keys first, from an index alone; then the rows of this page. */
export function pageStatement<Row>(listed: ListedTable, asked: PageAsked): RawBuilder<Row> {
  const { table, idColumn, idType, select } = listed
  const { order, conditions, start, size } = asked
  const [column, id] = [sql.raw(order.column), sql.raw(idColumn)]
  const [direction, beyond] = order.isDescending ? [sql`DESC`, sql`<`] : [sql`ASC`, sql`>`]
  const sorted = sql`ORDER BY ${column} ${direction}, ${id} ${direction}`
  const after =
    'after' in start
      ? [sql`(${column}, ${id}) ${beyond} (${cast(start.after[0], order.type)}, ${cast(start.after[1], idType)})`]
      : []
  // Microseconds, which a Date of ours has none of.
  const value =
    order.type === 'timestamptz'
      ? sql`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
      : sql`${column}`
  return sql<Row>`
    WITH keys AS MATERIALIZED (
      SELECT ${id} AS list_id FROM ${sql.raw(table)} ${where([...filterOf(listed, conditions), ...after])}
      ${sorted} LIMIT ${size} OFFSET ${'skip' in start ? start.skip : 0})
    SELECT ${sql.raw(select)}, json_build_array(${value}, ${id}::text)::text AS list_key
    FROM keys JOIN ${sql.raw(table)} ON ${id} = keys.list_id ${sorted}`
}

/** Counts no further than `most`. */
export const countStatement = (
  listed: ListedTable,
  conditions: readonly Condition[],
  most: number,
): RawBuilder<{ total: string }> => sql`
  SELECT count(*) AS total
  FROM (SELECT 1 FROM ${sql.raw(listed.table)} ${where(filterOf(listed, conditions))} LIMIT ${most}) AS counted`

/** What the database last thought, which costs nothing. */
export const estimateStatement = ({ table }: ListedTable): RawBuilder<{ total: string }> =>
  sql`SELECT reltuples::bigint AS total FROM pg_class WHERE oid = ${table}::regclass`

const types = { text: 'text', integer: 'integer', time: 'timestamptz', uuid: 'uuid' } as const

const cast = (value: string | number, type: string): RawBuilder<unknown> => sql`${value}${sql.raw(`::${type}`)}`

const filterOf = ({ searched }: ListedTable, conditions: readonly Condition[]): RawBuilder<unknown>[] =>
  conditions.map(({ field, operator, values }) => {
    const { column, type } = searched[field] as SearchField & { column: string }
    const asked = values.map((value) => cast(value, types[type]))
    if (operator === 'in') return sql`${sql.raw(column)} IN (${sql.join(asked)})`
    if (operator === '!=') return sql`${sql.raw(column)} IS DISTINCT FROM ${asked[0]}`
    return sql`${sql.raw(column)} ${sql.raw(operator === 'like' ? 'LIKE' : operator)} ${asked[0]}`
  })

const where = (parts: readonly RawBuilder<unknown>[]): RawBuilder<unknown> =>
  parts.length === 0 ? sql`` : sql`WHERE ${sql.join([...parts], sql` AND `)}`
