import { apiVersionOf } from '../kinds/kind.ts'
import { extrasOf, objectOf } from '../universe.ts'
import type { Family } from './family.ts'
import { acceptOf, uidOf, versionOf, writeQuery } from './family.ts'
import { spoil } from './spoil.ts'

export const create: Family = (dice, place) => {
  const body = objectOf(dice, place)
  return {
    method: 'POST',
    path: place.collection,
    query: writeQuery(dice),
    headers: { ...acceptOf(dice), ...(dice.chance(0.05) && { 'content-type': 'application/yaml' }) },
    body: dice.chance(0.08) ? spoil(dice, body) : body,
  }
}

/** Most with the version that was last seen, some with an older one, some with none. */
export const update: Family = (dice, place) => {
  const query = writeQuery(dice)
  const headers = acceptOf(dice)
  const back = dice.weigh<number>([
    [8, 0],
    [1, 1],
    [1, 3],
  ])
  if (dice.chance(0.5)) {
    const merge = { ...place.kind.body(dice), metadata: extrasOf(dice, place) }
    const body = { $ref: 'object' as const, of: place.path, back, merge }
    return { method: 'PUT', path: place.path, query, headers, body }
  }
  const { metadata, ...body } = objectOf(dice, place) as { metadata: object }
  const versioned = {
    ...metadata,
    ...(dice.chance(0.6) && { resourceVersion: versionOf(place, back) }),
    ...(dice.chance(0.1) && { uid: uidOf(place) }),
  }
  const whole = { ...body, metadata: versioned }
  return { method: 'PUT', path: place.path, query, headers, body: dice.chance(0.08) ? spoil(dice, whole) : whole }
}

/** A name that the server finds. It goes at once, so that lists stay small and known. */
export const generate: Family = (dice, place) => ({
  method: 'POST',
  path: place.collection,
  query: { ...writeQuery(dice), dryRun: 'All' },
  body: {
    apiVersion: apiVersionOf(place.kind),
    kind: place.kind.kind,
    metadata: place.kind.isDry ? { name: 'some' } : { generateName: dice.chance(0.9) ? `${place.name}-` : 'Bad Name' },
    ...place.kind.body(dice),
  },
})
