/** The few names that everything is about, so that requests meet the work of others. */
import type { Dice } from './dice.ts'
import type { KindUnderTest } from './kinds/kind.ts'
import { apiVersionOf, collectionOf } from './kinds/kind.ts'
import type { Reference } from './request.ts'

export const namespaces = ['red', 'blue']
const names = ['a', 'b', 'c', 'd.e']
const missingNamespace = 'nowhere'

const badNames = ['Upper', '-a', 'a_b', 'a..b', 'x'.repeat(254)]
const values = ['a', 'b', '']
const badLabels = [{ 'a/b/c': 'x' }, { a: '-' }, { '': 'x' }, { a: 'x'.repeat(64) }]

export interface Place {
  readonly kind: KindUnderTest
  readonly namespace: string
  readonly name: string
  readonly collection: string
  readonly path: string
}

export function placeOf(dice: Dice, kind: KindUnderTest): Place {
  const anywhere = dice.chance(0.02) ? missingNamespace : dice.pick(namespaces)
  const namespace = kind.namespaced ? anywhere : ''
  const name = dice.chance(0.01) ? dice.pick(badNames) : dice.pick(kind.names ?? names)
  const collection = collectionOf(kind, namespace)
  return { kind, namespace, name, collection, path: `${collection}/${encodeURIComponent(name)}` }
}

export const labelsOf = (dice: Dice): Record<string, string> =>
  dice.chance(0.02)
    ? dice.pick<Record<string, string>>(badLabels)
    : Object.fromEntries(dice.some(['app', 'tier', 'example.com/x']).map((key) => [key, dice.pick(values)]))

const annotationsOf = (dice: Dice): Record<string, string> =>
  dice.chance(0.02) ? { 'not a key': 'x' } : { note: dice.pick(['one', 'two', '']) }

const finalizers = ['example.com/hold', 'example.com/keep', 'nosuch', 'orphan', 'foregroundDeletion']

const owner = (dice: Dice, place: Place) => ({
  apiVersion: dice.chance(0.95) ? 'v1' : 'v1/v1/v1',
  kind: dice.pick(['ConfigMap', 'ConfigMap', 'Event']),
  name: dice.pick(names),
  uid: { $ref: 'uid', of: `/api/v1/namespaces/${place.namespace || 'red'}/configmaps/a` } satisfies Reference,
  ...(dice.chance(0.3) && { controller: dice.chance(0.8) }),
  ...(dice.chance(0.2) && { blockOwnerDeletion: true }),
})

/** What a client may say of the metadata, besides name and namespace. */
export const extrasOf = (dice: Dice, place: Place): Record<string, unknown> =>
  place.kind.isDry ? {} : extras(dice, place)

const extras = (dice: Dice, place: Place): Record<string, unknown> => ({
  ...(dice.chance(0.5) && unlessEmpty(place, { labels: labelsOf(dice) })),
  ...(dice.chance(0.2) && { annotations: annotationsOf(dice) }),
  ...(dice.chance(0.07) &&
    unlessEmpty(place, { finalizers: dice.some(dice.chance(0.9) ? finalizers.slice(0, 2) : finalizers) })),
  ...(dice.chance(0.05) && {
    ownerReferences: dice.chance(0.7) ? [owner(dice, place)] : [owner(dice, place), owner(dice, place)],
  }),
})

/** The real server keeps empty labels of custom objects without showing them, and drops them with the next write. */
const unlessEmpty = ({ kind }: Place, field: Record<string, object>): Record<string, object> =>
  kind.group.endsWith('example.com') && Object.values(field).some((value) => Object.keys(value).length === 0)
    ? {}
    : field

export function metadataOf(dice: Dice, place: Place): Record<string, unknown> {
  const { namespace, name } = place
  return {
    name: dice.chance(0.01) ? 'other' : name,
    ...(namespace !== '' && dice.chance(0.3) && { namespace: dice.chance(0.95) ? namespace : 'other' }),
    ...extrasOf(dice, place),
  }
}

export const objectOf = (dice: Dice, place: Place): Record<string, unknown> => ({
  apiVersion: apiVersionOf(place.kind),
  kind: place.kind.kind,
  metadata: metadataOf(dice, place),
  ...place.kind.body(dice),
})
