import type { Dice } from '../dice.ts'
import type { KindUnderTest } from './kind.ts'

const group = 'differential.example.com'

const step = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', maxLength: 5 },
    zone: { type: 'string', default: 'z', maxLength: 5 },
    size: { type: 'integer' },
    note: { type: 'string', maxLength: 10 },
  },
  'x-kubernetes-validations': [
    { rule: '!has(self.size) || self.size < 9', message: 'a step is small', fieldPath: '.size' },
    {
      rule: '!has(oldSelf.size) || (has(self.size) && self.size >= oldSelf.size)',
      messageExpression: '"step was %d".format([oldSelf.size])',
    },
  ],
}

const spec = {
  type: 'object',
  properties: {
    mode: {
      type: 'string',
      maxLength: 5,
      'x-kubernetes-validations': [
        { rule: 'self == oldSelf', message: 'mode is for ever', reason: 'FieldValueForbidden' },
      ],
    },
    low: { type: 'integer', default: 1 },
    high: { type: 'integer' },
    count: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self >= oldSelf' }, { rule: 'self != 2' }] },
    steps: {
      type: 'array',
      maxItems: 3,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name', 'zone'],
      items: step,
      'x-kubernetes-validations': [{ rule: 'self.exists(s, s.name == "p") || self.size() < 2' }],
    },
    ports: {
      type: 'array',
      maxItems: 4,
      items: {
        'x-kubernetes-int-or-string': true,
        'x-kubernetes-validations': [{ rule: 'type(self) == int ? self < 10 : self == "5%"' }],
      },
    },
    set: {
      type: 'array',
      maxItems: 4,
      'x-kubernetes-list-type': 'set',
      items: { type: 'integer', maximum: 9 },
      'x-kubernetes-validations': [{ rule: 'self.sum() < 12', messageExpression: '"sum is %d".format([self.sum()])' }],
    },
    byName: {
      type: 'object',
      maxProperties: 3,
      additionalProperties: {
        type: 'object',
        properties: { v: { type: 'integer', default: 1 }, w: { type: 'string', nullable: true } },
        'x-kubernetes-validations': [
          { rule: 'self.v != 3' },
          { rule: 'self.v >= oldSelf.v', reason: 'FieldValueInvalid' },
        ],
      },
    },
    frozen: {
      type: 'object',
      'x-kubernetes-map-type': 'atomic',
      properties: { a: { type: 'string' }, b: { type: 'integer', default: 2 } },
    },
    template: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
    opt: {
      type: 'string',
      maxLength: 5,
      'x-kubernetes-validations': [
        {
          rule: 'oldSelf.orValue(self) == self',
          optionalOldSelf: true,
          messageExpression: 'oldSelf.hasValue() ? "opt stays" : "no opt"',
        },
      ],
    },
    amount: {
      type: 'string',
      maxLength: 8,
      'x-kubernetes-validations': [
        { rule: 'isQuantity(self) && quantity(self).isLessThan(quantity("2Gi"))', reason: 'FieldValueRequired' },
      ],
    },
    wait: { type: 'string', format: 'duration', 'x-kubernetes-validations': [{ rule: 'self > duration("1s")' }] },
    when: {
      type: 'string',
      format: 'date-time',
      'x-kubernetes-validations': [{ rule: 'self < timestamp("2027-01-01T00:00:00Z")' }],
    },
    bytes: { type: 'string', format: 'byte' },
    ratio: { type: 'number', multipleOf: 0.5, exclusiveMinimum: true, minimum: 0 },
    deep: {
      type: 'array',
      maxItems: 2,
      items: {
        type: 'array',
        maxItems: 2,
        items: { type: 'object', properties: { x: { type: 'integer', default: 7 } }, required: ['y'] },
      },
    },
  },
  'x-kubernetes-validations': [
    {
      rule: '!has(self.low) || !has(self.high) || self.low <= self.high',
      messageExpression: '"low %d is above %d".format([self.low, self.high])',
      fieldPath: '.low',
    },
    { rule: 'has(self.opt) || !has(oldSelf.opt)', message: 'opt stays', reason: 'FieldValueDuplicate' },
    { rule: '10 / self.low > 0', message: 'low may divide' },
  ],
}

const status = {
  type: 'object',
  properties: {
    seen: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self >= oldSelf', message: 'seen grows' }] },
    conditions: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: {
        type: 'object',
        required: ['type', 'status'],
        properties: { type: { type: 'string' }, status: { type: 'string', enum: ['True', 'False'] } },
      },
    },
  },
}

export const ruledDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `gizmos.${group}` },
  spec: {
    group,
    names: { plural: 'gizmos', singular: 'gizmo', kind: 'Gizmo', listKind: 'GizmoList' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec, status },
            'x-kubernetes-validations': [
              { rule: 'self.metadata.name != "c" || has(self.spec)', message: 'c has a spec' },
            ],
          },
        },
        subresources: { status: {} },
        selectableFields: [{ jsonPath: '.spec.low' }, { jsonPath: '.spec.mode' }],
        additionalPrinterColumns: [
          { name: 'Ports', type: 'string', jsonPath: '.spec.ports' },
          { name: 'Sizes', type: 'string', jsonPath: '.spec.steps[*].size' },
          { name: 'When', type: 'date', jsonPath: '.spec.when' },
          { name: 'Ratio', type: 'number', jsonPath: '.spec.ratio' },
        ],
      },
    ],
  },
}

const steps = (dice: Dice): unknown[] =>
  dice.some(['p', 'q', 'r'], 0.4).map((name) => ({
    ...(dice.chance(0.98) && { name }),
    ...(dice.chance(0.3) && { zone: dice.pick(['y', 'z']) }),
    ...(dice.chance(0.5) && { size: dice.below(10) }),
    ...(dice.chance(0.2) && { note: dice.pick(['n', 'm']) }),
  }))

const fields: Readonly<Record<string, (dice: Dice) => unknown>> = {
  mode: (dice) => dice.pick(['a', 'a', 'b']),
  low: (dice) => dice.pick([0, 1, 2, 5, 20]),
  high: (dice) => dice.pick([1, 3, 10, 10]),
  count: (dice) => dice.below(6),
  steps,
  ports: (dice) => dice.pick<unknown>([[1, '5%'], [11], ['x'], [], [2]]),
  set: (dice) => dice.pick([[1, 2], [2, 1], [9, 8], [1, 1], [], [4]]),
  byName: (dice) =>
    Object.fromEntries(
      dice.some(['a', 'b', 'c.d']).map((key) => [key, dice.pick<object>([{}, { v: dice.below(5) }, { w: null }])]),
    ),
  frozen: (dice) => dice.pick<object>([{ a: 'x' }, { b: 3 }, {}]),
  template: (dice) =>
    dice.pick<object>([
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: 'b' } },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'A_' } },
      { kind: 'ConfigMap' },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { labels: { a: 'b' }, odd: 1 } },
      {},
    ]),
  opt: (dice) => dice.pick(['o', 'o', 'p']),
  amount: (dice) => dice.pick(['1', '100Mi', '2Gi', 'much']),
  wait: (dice) => dice.pick(['5s', '1s', '1m30s', 'long']),
  when: (dice) => dice.pick(['2026-01-02T03:04:05Z', '2028-01-02T03:04:05Z', 'soon']),
  bytes: (dice) => dice.pick(['YQ==', '', 'a']),
  ratio: (dice) => dice.pick([0.5, 1, 1.5, 0.3, 0, -1]),
  deep: (dice) => dice.pick<unknown>([[[{ y: 1 }]], [[{}], []], [[{ x: 1 }, { x: 2 }]], []]),
}

const often = new Set(['mode', 'low', 'count', 'steps', 'opt'])

const body = (dice: Dice): Record<string, unknown> => ({
  ...(dice.chance(0.97) && {
    spec: Object.fromEntries(
      Object.entries(fields)
        .filter(([name]) => dice.chance(often.has(name) ? 0.4 : 0.15))
        .map(([name, drawn]) => [name, drawn(dice)]),
    ),
  }),
})

/** A kind with rules, and with every type of list and map. */
export const gizmos: KindUnderTest = {
  group,
  version: 'v1',
  plural: 'gizmos',
  kind: 'Gizmo',
  namespaced: true,
  custom: true,
  subresources: ['status'],
  pointers: [
    '/spec',
    '/spec/steps',
    '/spec/steps/0',
    '/spec/steps/0/size',
    '/spec/mode',
    '/spec/opt',
    '/spec/count',
    '/spec/byName',
    '/spec/byName/a',
    '/spec/set',
    '/spec/ports/0',
    '/spec/frozen/a',
    '/status',
  ],
  fieldSelectors: ['spec.low=1', 'spec.low!=1', 'spec.mode=a', 'spec.mode=', 'spec.high=3'],
  body,
  status: (dice) => ({
    ...(dice.chance(0.6) && { seen: dice.below(4) }),
    ...(dice.chance(0.6) && {
      conditions: dice.some(['Ready', 'Done', 'Ready'], 0.4).map((type) => ({
        type,
        ...(dice.chance(0.95) && { status: dice.pick(['True', 'False', 'True', 'False', 'Odd']) }),
      })),
    }),
  }),
}
