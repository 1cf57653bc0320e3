import type { Dice } from '../dice.ts'
import { collectionOf } from '../kinds/kind.ts'
import type { Value } from '../request.ts'
import type { Place } from '../universe.ts'
import type { Draft, Family } from './family.ts'
import { acceptOf } from './family.ts'

export const get: Family = (dice, place) => ({
  method: 'GET',
  path: place.path,
  headers: acceptOf(dice, 0.3),
  query: {
    ...(dice.chance(0.1) && { resourceVersion: dice.pick<Value>(['0', 'x', { $ref: 'revision', back: 0 }]) }),
    ...(dice.chance(0.05) && { pretty: 'true' }),
  },
})

const labelSelectors = [
  'app=a',
  'app!=a',
  'app',
  '!app',
  'app in (a,b)',
  'app notin (a)',
  'app=a,tier',
  'example.com/x=b',
  'app==b',
  'tier=',
  'a b',
  'app in',
  'app=a,',
  'a/b/c=d',
]

const fieldSelectors = [
  'metadata.name=a',
  'metadata.name!=a',
  'metadata.namespace=red',
  'no.such=a',
  'metadata.name',
  '=',
]

/** Leave out what the planes brought themselves, which they need not have in common. */
const ownOnly = ['app=a', 'app', 'app in (a,b)', 'app=a,tier', 'tier']

const wellFormed = (dice: Dice, from: readonly string[], count: number): string =>
  dice.pick(dice.chance(0.9) ? from.slice(0, count) : from)

export interface Selectors {
  labelSelector?: string
  fieldSelector?: string
}

export function selectorsOf(dice: Dice, { kind }: Place, path: string): Selectors {
  const isCrowded = kind.crowded || path === collectionOf(kind, '')
  return {
    ...(dice.chance(0.35) && { labelSelector: wellFormed(dice, labelSelectors, 10) }),
    ...(isCrowded && { labelSelector: dice.pick(ownOnly) }),
    ...(dice.chance(0.25) && {
      fieldSelector:
        dice.chance(0.6) && kind.fieldSelectors ? dice.pick(kind.fieldSelectors) : wellFormed(dice, fieldSelectors, 3),
    }),
  }
}

const versionsOf = (dice: Dice): Record<string, Value> => {
  if (dice.chance(0.7)) return {}
  const resourceVersion = dice.weigh<Value>([
    [3, '0'],
    [4, { $ref: 'revision', back: dice.below(5) }],
    [1, ''],
    [0.3, 'x'],
    [0.3, '-1'],
  ])
  const match = dice.pick(['', 'Exact', 'NotOlderThan', 'NotOlderThan', 'Exact', 'Odd'])
  return { resourceVersion, ...(match !== '' && { resourceVersionMatch: match }) }
}

/** In one namespace or in all. */
export const listPath = (dice: Dice, { kind, collection }: Place): string =>
  dice.chance(0.15) ? collectionOf(kind, '') : collection

export const list: Family = (dice, place) => {
  const path = listPath(dice, place)
  return {
    method: 'GET',
    path,
    headers: acceptOf(dice, 0.3),
    query: {
      ...selectorsOf(dice, place, path),
      ...versionsOf(dice),
      ...(dice.chance(0.3) && { limit: dice.pick(['1', '2', '3', '1000', '0', '-1', 'x']) }),
    },
  }
}

/** The page after the one that this list was last answered with. */
export const nextPage: Family = (dice, place): Draft => {
  const path = listPath(dice, place)
  return {
    method: 'GET',
    path,
    headers: acceptOf(dice, 0.2),
    query: {
      limit: dice.pick(['1', '2', '1000']),
      continue: dice.chance(0.93) ? { $ref: 'continue', of: path } : dice.pick(['x', 'e30', '']),
      ...(dice.chance(0.05) && { resourceVersion: '0' }),
      ...selectorsOf(dice, place, path),
    },
  }
}

export const firstPage: Family = (dice, place) => {
  const path = listPath(dice, place)
  return { method: 'GET', path, query: { limit: dice.pick(['1', '2']), ...selectorsOf(dice, place, path) } }
}
