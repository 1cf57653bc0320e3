import type { Dice } from '../dice.ts'
import type { KindUnderTest } from './kind.ts'

const group = 'differential.example.com'

const version = (name: string, isStorage: boolean, properties: object) => ({
  name,
  served: true,
  storage: isStorage,
  schema: {
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
  },
})

const strings = { type: 'array', items: { type: 'string' } }

const pairs = {
  type: 'array',
  items: { type: 'object', required: ['k'], properties: { k: { type: 'string' }, v: { type: 'string' } } },
}

export const divergedDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `doodads.${group}` },
  spec: {
    group,
    names: { plural: 'doodads', singular: 'doodad', kind: 'Doodad', listKind: 'DoodadList' },
    scope: 'Namespaced',
    versions: [
      version('v1', true, {
        both: { type: 'string' },
        old: { type: 'string' },
        words: { ...strings, 'x-kubernetes-list-type': 'set' },
        pairs: { ...pairs, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
        given: { type: 'integer', default: 1 },
      }),
      version('v2', false, {
        both: { type: 'string' },
        fresh: { type: 'string' },
        words: strings,
        pairs,
        given: { type: 'integer', default: 2 },
      }),
    ],
  },
}

const body = (dice: Dice): Record<string, unknown> => ({
  spec: {
    ...(dice.chance(0.5) && { both: dice.pick(['x', 'y']) }),
    ...(dice.chance(0.3) && { old: dice.pick(['x', 'y']) }),
    ...(dice.chance(0.3) && { fresh: dice.pick(['x', 'y']) }),
    ...(dice.chance(0.3) && { words: dice.some(['a', 'b', 'c']) }),
    ...(dice.chance(0.3) && { pairs: dice.some(['a', 'b', 'c']).map((k) => ({ k, v: dice.pick(['x', 'y']) })) }),
    ...(dice.chance(0.2) && { given: dice.below(3) }),
  },
})

/** A kind whose versions do not have the same fields, and which nobody converts. */
const doodad = (name: string): KindUnderTest => ({
  group,
  version: name,
  plural: 'doodads',
  kind: 'Doodad',
  namespaced: true,
  custom: true,
  weight: 0.7,
  pointers: ['/spec', '/spec/both', '/spec/old', '/spec/fresh', '/spec/words', '/spec/words/0', '/spec/pairs/0'],
  body,
})

export const doodads = doodad('v1')
export const doodadsOfV2 = doodad('v2')
