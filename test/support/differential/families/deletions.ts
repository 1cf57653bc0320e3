import type { Dice } from '../dice.ts'
import type { Place } from '../universe.ts'
import type { Family } from './family.ts'
import { acceptOf, uidOf, versionOf } from './family.ts'
import { selectorsOf } from './reads.ts'

const policies = ['Background', 'Foreground', 'Orphan', 'Background', 'Sideways']

const optionsOf = (dice: Dice, place: Place): unknown => {
  if (dice.chance(0.5)) return undefined
  if (dice.chance(0.04)) return dice.pick<unknown>(['{', '[]', { kind: 'Other', apiVersion: 'v1' }, { unknown: 1 }])
  return {
    ...(dice.chance(0.5) && { kind: 'DeleteOptions', apiVersion: 'v1' }),
    ...(dice.chance(0.3) && {
      preconditions: {
        ...(dice.chance(0.5) && { uid: dice.chance(0.8) ? uidOf(place) : 'other' }),
        ...(dice.chance(0.6) && { resourceVersion: versionOf(place, dice.chance(0.8) ? 0 : 1) }),
      },
    }),
    ...(dice.chance(0.3) && { propagationPolicy: dice.pick(policies) }),
    ...(dice.chance(0.05) && { orphanDependents: dice.chance(0.5) }),
    ...(dice.chance(0.3) && { gracePeriodSeconds: dice.pick([0, 30, 1, -1]) }),
    ...(dice.chance(0.05) && { dryRun: [dice.chance(0.9) ? 'All' : 'Some'] }),
  }
}

const queryOf = (dice: Dice): Record<string, string> => ({
  ...(dice.chance(0.1) && { propagationPolicy: dice.pick(policies) }),
  ...(dice.chance(0.1) && { gracePeriodSeconds: dice.pick(['0', '30', 'x']) }),
  ...(dice.chance(0.04) && { dryRun: 'All' }),
  ...(dice.chance(0.02) && { orphanDependents: 'true' }),
})

export const remove: Family = (dice, place) => {
  const body = optionsOf(dice, place)
  return {
    method: 'DELETE',
    path: place.path,
    query: queryOf(dice),
    headers: acceptOf(dice),
    ...(body !== undefined && { body }),
  }
}

export const removeAll: Family = (dice, place) => {
  const body = optionsOf(dice, place)
  return {
    method: 'DELETE',
    path: place.collection,
    query: { ...queryOf(dice), ...selectorsOf(dice, place, place.collection), ...(dice.chance(0.1) && { limit: '1' }) },
    headers: acceptOf(dice),
    ...(body !== undefined && { body }),
  }
}

/** Lets go what a finalizer holds, so that names come free again. */
export const release: Family = (_dice, place) => ({
  method: 'PATCH',
  path: place.path,
  headers: { 'content-type': 'application/merge-patch+json' },
  body: { metadata: { finalizers: null } },
})
