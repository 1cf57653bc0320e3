import type { Dice } from '../dice.ts'
import type { Request } from '../request.ts'
import type { Place } from '../universe.ts'

/** A request but for its number. */
export type Draft = Omit<Request, 'id' | 'about'>

/** Draws one request of its sort about a place. */
export type Family = (dice: Dice, place: Place) => Draft

export const versionOf = ({ path }: Place, back = 0) => ({ $ref: 'version' as const, of: path, back })
export const uidOf = ({ path }: Place) => ({ $ref: 'uid' as const, of: path })

const managers = ['one', 'two', 'three/four']

/** What any write may carry. */
export function writeQuery(dice: Dice): Record<string, string> {
  return {
    ...(dice.chance(0.06) && { dryRun: dice.chance(0.95) ? 'All' : 'Some' }),
    ...(dice.chance(0.2) && { fieldManager: dice.chance(0.97) ? dice.pick(managers) : 'x'.repeat(129) }),
    ...(dice.chance(0.15) && { fieldValidation: dice.pick(['Strict', 'Warn', 'Ignore', 'Strict', 'Sloppy']) }),
    ...(dice.chance(0.02) && { pretty: 'true' }),
  }
}

const accepts = [
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json',
  'application/json;as=Table;v=v1beta1;g=meta.k8s.io',
  'application/yaml',
  '*/*',
  'text/html',
  'application/json;as=Chair;v=v1;g=meta.k8s.io',
]

/** How the answer is wanted. */
export const acceptOf = (dice: Dice, probability = 0.1): Record<string, string> =>
  dice.chance(probability) ? { accept: dice.pick(accepts) } : {}
