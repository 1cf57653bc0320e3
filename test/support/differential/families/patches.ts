import type { Dice } from '../dice.ts'
import { apiVersionOf } from '../kinds/kind.ts'
import type { Place } from '../universe.ts'
import { extrasOf, labelsOf, objectOf } from '../universe.ts'
import type { Family } from './family.ts'
import { acceptOf, uidOf, versionOf, writeQuery } from './family.ts'

const fragmentOf = (dice: Dice, { kind }: Place) => (kind.fragment ?? kind.body)(dice)

const withNulls = (dice: Dice, value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (dice.chance(0.15)) return [key, null]
      const isJson = typeof item === 'object' && item !== null && !Array.isArray(item) && !('$ref' in item)
      return [key, isJson ? withNulls(dice, item as Record<string, unknown>) : item]
    }),
  )

const metadataFragment = (dice: Dice, place: Place): Record<string, unknown> => ({
  ...extrasOf(dice, place),
  ...(dice.chance(0.1) && { resourceVersion: versionOf(place, dice.chance(0.7) ? 0 : 1) }),
  ...(dice.chance(0.02) && { uid: uidOf(place) }),
  ...(dice.chance(0.02) && { name: 'other' }),
  ...(dice.chance(0.05) && { finalizers: null }),
})

const mergeBody = (dice: Dice, place: Place): unknown => {
  if (dice.chance(0.02)) return dice.pick(['null', '[]', '{', '1'])
  const fragment = {
    ...(dice.chance(0.6) && fragmentOf(dice, place)),
    ...(dice.chance(0.6) && { metadata: metadataFragment(dice, place) }),
    ...(dice.chance(0.03) && { unknownField: { a: 1 } }),
  }
  return dice.chance(0.3) ? withNulls(dice, fragment) : fragment
}

export const merge: Family = (dice, place) => ({
  method: 'PATCH',
  path: place.path,
  query: writeQuery(dice),
  headers: { 'content-type': 'application/merge-patch+json', ...acceptOf(dice) },
  body: mergeBody(dice, place),
})

export const strategic: Family = (dice, place) => {
  const body = mergeBody(dice, place)
  const directed = typeof body === 'string' || dice.chance(0.8) ? body : { ...(body as object), ...directive(dice) }
  return {
    method: 'PATCH',
    path: place.path,
    query: writeQuery(dice),
    headers: { 'content-type': 'application/strategic-merge-patch+json', ...acceptOf(dice) },
    body: directed,
  }
}

const directive = (dice: Dice): object =>
  dice.pick<object>([
    { metadata: { labels: { $patch: 'replace', app: 'a' } } },
    { metadata: { labels: { $patch: 'delete' } } },
    { metadata: { $patch: 'sideways' } },
    { metadata: { finalizers: ['example.com/hold'], '$deleteFromPrimitiveList/finalizers': ['example.com/keep'] } },
    { metadata: { '$setElementOrder/finalizers': ['example.com/keep', 'example.com/hold'] } },
    { metadata: { $retainKeys: ['name', 'labels'] } },
  ])

export const json: Family = (dice, place) => ({
  method: 'PATCH',
  path: place.path,
  query: writeQuery(dice),
  headers: { 'content-type': 'application/json-patch+json', ...acceptOf(dice) },
  body: dice.chance(0.03)
    ? dice.pick(['{}', 'null', '[{"op":"frob","path":"/a"}]', '[{"op":"add"}]', '[1]', '[{"op":"add","path":"a"}]'])
    : Array.from({ length: 1 + dice.below(3) }, () => operation(dice, place)),
})

const always = ['/metadata/labels', '/metadata/labels/app', '/metadata/annotations', '/metadata/finalizers']

function operation(dice: Dice, place: Place): unknown {
  const path = dice.pick([...always, ...place.kind.pointers])
  const from = dice.pick([...always, ...place.kind.pointers])
  const value = valueFor(dice, place, path)
  return dice.weigh<() => unknown>([
    [5, () => ({ op: 'add', path, value })],
    [3, () => ({ op: 'replace', path, value })],
    [3, () => ({ op: 'remove', path })],
    [1, () => ({ op: 'test', path, value })],
    [1, () => ({ op: 'copy', from, path })],
    [1, () => ({ op: 'move', from, path })],
    [0.5, () => ({ op: 'add', path: `${path}/-`, value })],
    [0.3, () => ({ op: 'test', path: '/metadata/resourceVersion', value: versionOf(place) })],
  ])()
}

/** What a body has at this place, or something that does not fit. */
function valueFor(dice: Dice, place: Place, pointer: string): unknown {
  if (dice.chance(0.1)) return dice.pick<unknown>(['a', 1, null, {}, []])
  if (pointer === '/metadata/labels') return labelsOf(dice)
  if (pointer === '/metadata/labels/app') return dice.pick(['a', 'b'])
  if (pointer === '/metadata/annotations') return { note: 'patched' }
  if (pointer === '/metadata/finalizers') return dice.some(['example.com/hold'])
  return (
    pointer
      .slice(1)
      .split('/')
      .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], place.kind.body(dice)) ??
    'a'
  )
}

export const apply: Family = (dice, place) => {
  const { kind } = place
  const object = objectOf(dice, place)
  const partial = {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name: place.name, ...extrasOf(dice, place) },
    ...(dice.chance(0.7) && fragmentOf(dice, place)),
  }
  const { dryRun, fieldManager = 'one', ...query } = writeQuery(dice)
  return {
    method: 'PATCH',
    path: place.path,
    query: {
      ...query,
      ...(dryRun !== undefined && { dryRun }),
      ...(dice.chance(0.97) && { fieldManager }),
      ...(dice.chance(0.4) && { force: dice.chance(0.97) ? 'true' : 'maybe' }),
    },
    headers: { 'content-type': 'application/apply-patch+yaml', ...acceptOf(dice) },
    body: dice.chance(0.6) ? partial : object,
  }
}

export const oddType: Family = (dice, place) => ({
  method: 'PATCH',
  path: place.path,
  headers: {
    'content-type': dice.pick(['application/json', 'text/plain', 'application/merge-patch+json; charset=utf-8']),
  },
  body: mergeBody(dice, place),
})
