import { isDeepStrictEqual } from 'node:util'
import { areSameRoleErrors, areShuffled } from './shuffled.ts'
import { OrderedTwins, Twins } from './twins.ts'

/** One place where two answers are not the same. */
export interface Difference {
  /** `body.metadata.name`, `code`, `events[2].type`. */
  readonly where: string
  readonly embedded: unknown
  readonly real: unknown
}

type Json = Record<string, unknown>

/**
 * Compares what both planes said. What must differ (uids, times, revisions, generated names) is compared by what it
 * stands for: the same uid here is the same uid there, and a later revision here is a later one there.
 */
export class Comparer {
  readonly #uids = new Twins()
  readonly #names = new Twins()
  readonly #revisions = new OrderedTwins()

  #isAnyRevisionFine = false

  /** `isAnyRevisionFine`: who asks for any state is told any revision. */
  compare(embedded: unknown, real: unknown, isAnyRevisionFine = false): Difference[] {
    this.#isAnyRevisionFine = isAnyRevisionFine
    return this.#values(embedded, real, '')
  }

  #values(a: unknown, b: unknown, where: string): Difference[] {
    if (Array.isArray(a) && Array.isArray(b)) return this.#lists(a, b, where)
    if (isJson(a) && isJson(b)) return this.#objects(a, b, where)
    return this.#areAlike(a, b, where) ? [] : [{ where, embedded: a, real: b }]
  }

  #lists(a: unknown[], b: unknown[], where: string): Difference[] {
    const [left, right] = where.endsWith('.managedFields') ? [byManager(a), byManager(b)] : [a, b]
    if (left.length === right.length)
      return left.flatMap((item, index) => this.#values(item, right[index], `${where}[${index}]`))
    const length = { where: `${where}.length`, embedded: left.length, real: right.length }
    // What they have in common is still learnt from; only the first that differs is worth telling.
    const differences = left
      .slice(0, right.length)
      .map((item, index) => this.#values(item, right[index], `${where}[${index}]`))
    const first = differences.find(({ length }) => length > 0) ?? [
      {
        where: `${where}[${Math.min(left.length, right.length)}]`,
        embedded: left[right.length],
        real: right[left.length],
      },
    ]
    return [length, ...first]
  }

  #objects(a: Json, b: Json, where: string): Difference[] {
    if (areShuffled(a, b)) return []
    if (isSnapshot(a) && isSnapshot(b)) return this.#snapshots(a, b, where)
    return this.#members(a, b, where)
  }

  /** Its revision is that of no object: it says how far the plane was. */
  #snapshots(a: Snapshot, b: Snapshot, where: string): Difference[] {
    const [left, right] = [a, b].map(withoutRevision) as [Json, Json]
    const [embedded, real] = [a.metadata.resourceVersion, b.metadata.resourceVersion]
    const differences = this.#members(left, right, where)
    const isAlike = this.#isAnyRevisionFine || this.#areEquallyFar(embedded, real)
    return isAlike ? differences : [...differences, { where: `${where}.metadata.resourceVersion`, embedded, real }]
  }

  #members(a: Json, b: Json, where: string): Difference[] {
    const renamed = this.#withTheirUids(a)
    // Owners are met before the managed fields that name them by uid.
    const keys = [...new Set([...Object.keys(renamed), ...Object.keys(b)])].sort((key) =>
      key === 'managedFields' ? 1 : 0,
    )
    return keys.flatMap((key) => this.#values(renamed[key], b[key], where === '' ? key : `${where}.${key}`))
  }

  /** Keys of managed fields hold uids of owners. */
  #withTheirUids(a: Json): Json {
    if (!Object.keys(a).some((key) => key.startsWith('k:{"uid"'))) return a
    const translate = (key: string) =>
      pieces(key)
        .map((piece) => this.#uids.twinOf(piece) ?? piece)
        .join('')
    return Object.fromEntries(Object.entries(a).map(([key, value]) => [translate(key), value]))
  }

  #areAlike(a: unknown, b: unknown, where: string): boolean {
    if (typeof a !== 'string' || typeof b !== 'string') return isDeepStrictEqual(a, b)
    if (where.endsWith('metadata.resourceVersion')) return this.#areRevisionsAlike(a, b)
    if (where.endsWith('metadata.continue')) return this.#areTokensAlike(a, b)
    if (a === b || areSameRoleErrors(a, b)) return true
    // Go walks the fields of a custom object as they come.
    if (isTypedErrors(a) && isTypedErrors(b)) return isDeepStrictEqual(linesOf(a), linesOf(b))
    if (where.includes('.cells[') && age.test(a) && age.test(b)) return true
    if (where.endsWith('token') && a.split('.').length === 3) return this.#areJwtsAlike(a, b)
    return this.#words(a, b)
  }

  #areRevisionsAlike(a: string, b: string): boolean {
    if (!isNumber(a) || !isNumber(b)) return a === b
    return this.#revisions.areSame(Number(a), Number(b))
  }

  #areEquallyFar(a: string, b: string): boolean {
    return isNumber(a) && isNumber(b) ? this.#revisions.areEquallyFar(Number(a), Number(b)) : a === b
  }

  #areTokensAlike(a: string, b: string): boolean {
    if (a === '' || b === '') return a === b
    const [left, right] = [a, b].map((token) => JSON.parse(Buffer.from(token, 'base64url').toString()))
    const isAlike = left.rv === right.rv || this.#revisions.areEquallyFar(left.rv, right.rv)
    return isAlike && lastOf(left.start) === lastOf(right.start) && left.v === right.v
  }

  #areJwtsAlike(a: string, b: string): boolean {
    const [left, right] = [a, b].map(claimsOf)
    return this.#values(left, right, 'claims').length === 0
  }

  /** Texts may hold uids and times in their middle. */
  #words(a: string, b: string): boolean {
    const [left, right] = [pieces(a), pieces(b)]
    if (left.length !== right.length) return false
    return left.every((piece, index) => {
      const other = right[index]!
      if (piece === other) return true
      if (uid.test(piece) && uid.test(other)) return this.#uids.areSame(piece, other)
      if (piece.startsWith('X509SHA256=')) return this.#names.areSame(piece, other)
      if (isNumber(piece) && isNumber(other)) return this.#revisions.areSame(Number(piece), Number(other))
      if (generated.test(piece) && generated.test(other)) return this.#names.areSame(piece, other)
      return shapeOfTime(piece) !== undefined && shapeOfTime(piece) === shapeOfTime(other)
    })
  }
}

interface Snapshot extends Json {
  readonly metadata: Json & { readonly resourceVersion: string }
}

/** A list, a table, or a bookmark's object, which is nothing but its revision. */
function isSnapshot(value: Json): value is Snapshot {
  const metadata = value['metadata']
  if (!isJson(metadata) || typeof metadata['resourceVersion'] !== 'string') return false
  return 'items' in value || 'rows' in value || metadata['uid'] === undefined
}

function withoutRevision({ metadata, ...rest }: Snapshot): Json {
  const { resourceVersion: _, ...others } = metadata
  // Last: a token holds a revision too, and what is in the list must be known before.
  return { ...rest, metadata: others }
}

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const isNumber = (text: string): boolean => /^[1-9]\d*$/.test(text)

/** Without uids, which are compared wherever an object is shown. */
const linesOf = (text: string): string[] =>
  text
    .replace(/[0-9a-f-]{36}/g, '')
    .split('\n')
    .sort()

const isTypedErrors = (text: string): boolean => text.startsWith('failed to create typed patch object')

const age = /^(\d+[dhms])+$/
const uid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/
const generated = /^[bcdfghjklmnpqrstvwxz2456789]{5}$/
const special =
  /(X509SHA256=[0-9a-f]{64}|(?<=in the precondition \(|in record \()\d+(?=\))|(?<=ResourceVersion in (?:precondition|object meta): |resourceVersion:)\d+|(?<=-|Bad Name|x{58})[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9])|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/

/** The key that a token goes on behind, without the folders of the storage. */
const lastOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1)

const pieces = (text: string): string[] => text.split(special)

/** Written differently is different; only the moment may be another one, and only one of this run. */
function shapeOfTime(text: string): string | undefined {
  const age = Math.abs(Date.now() - Date.parse(text))
  return age < 3_600_000 * 30 ? text.replace(/\d/g, '0') : undefined
}

const claimsOf = (token: string): unknown => {
  const { iat, exp, nbf, ...claims } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return { ...claims, lifetime: exp - iat, early: nbf - iat }
}

/** Their order is that of their times, which two planes need not share. */
function byManager(entries: readonly unknown[]): unknown[] {
  const key = (entry: unknown) => {
    const { manager, operation, apiVersion, subresource } = entry as Json
    return [manager, operation, apiVersion, subresource].join(' ')
  }
  return [...entries].sort((one, other) => (key(one) < key(other) ? -1 : 1))
}
