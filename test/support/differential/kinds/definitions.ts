import type { Dice } from '../dice.ts'
import { definitions } from './custom.ts'
import type { KindUnderTest } from './kind.ts'

/** Of a field, right or wrong. */
const schema = (dice: Dice): unknown =>
  dice.pick<unknown>([
    { type: 'string' },
    { type: 'integer', minimum: 1, default: 1 },
    { type: 'integer', minimum: 1, default: 0 },
    { type: 'string', enum: ['a', 'b'], default: 'c' },
    { type: 'object' },
    { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' },
    { type: 'array' },
    { 'x-kubernetes-int-or-string': true },
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': false },
    { type: 'object', properties: { a: {} } },
    { type: 'odd' },
    { type: 'string', pattern: '(' },
    { type: 'object', additionalProperties: { type: 'string' }, properties: { a: { type: 'string' } } },
    { type: 'string', nullable: true, format: 'date-time' },
    { type: 'string', not: { type: 'integer' } },
    { $ref: '#/definitions/x' },
  ])

const schemaOf = (f: unknown) => ({
  openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { f } } } },
})

/** Never kept: what becomes of a definition is for controllers, in their own time. */
export const customResourceDefinitions: KindUnderTest = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
  isDry: true,
  weight: 0.4,
  names: ['things.other.example.com', 'wrong'],
  pointers: ['/spec/scope', '/spec/names/shortNames', '/spec/versions/0/served', '/spec/versions', '/spec/conversion'],
  body: (dice) => ({
    spec: {
      group: dice.chance(0.95) ? 'other.example.com' : dice.pick(['Bad_Group', 'nodots']),
      scope: dice.chance(0.95) ? dice.pick(['Namespaced', 'Cluster']) : 'Odd',
      names: {
        plural: dice.chance(0.95) ? 'things' : 'Bad',
        kind: dice.chance(0.95) ? 'Thing' : 'bad_kind',
        ...(dice.chance(0.3) && { singular: 'thing', shortNames: ['th'], categories: ['all'] }),
      },
      versions: Array.from({ length: 1 + (dice.chance(0.2) ? 1 : 0) }, (_, index) => ({
        name: dice.chance(0.95) ? `v${index + 1}` : 'V_1',
        served: dice.chance(0.9),
        storage: dice.chance(0.95) ? index === 0 : true,
        schema: schemaOf(schema(dice)),
        ...(dice.chance(0.2) && {
          subresources: { status: {} },
        }),
        ...(dice.chance(0.2) && {
          additionalPrinterColumns: [
            { name: 'F', type: dice.pick(['string', 'odd']), jsonPath: dice.pick(['.spec.f', 'bad']) },
          ],
        }),
        // The real server panics over fields to select by in a schema that is wrong.
        ...(dice.chance(0.1) && {
          schema: schemaOf({ type: dice.pick(['string', 'object']) }),
          selectableFields: [{ jsonPath: dice.pick(['.spec.f', '.spec.none']) }],
        }),
      })),
      ...(dice.chance(0.1) && { conversion: { strategy: dice.pick(['None', 'Webhook', 'Odd']) } }),
    },
  }),
  fragment: (dice) => ({
    spec: dice.pick<unknown>([
      { names: { shortNames: ['wd'] } },
      { scope: 'Cluster' },
      { group: 'other.example.com' },
      { versions: definitions[0]?.spec.versions.slice(0, 1) },
      { names: { kind: 'Other' } },
    ]),
  }),
}
