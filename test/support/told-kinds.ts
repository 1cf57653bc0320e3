/** Custom kinds with everything that discovery and OpenAPI tell of one, for comparing two servers. */
const replicas = { type: 'object', properties: { replicas: { type: 'integer' } } }
const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' }
const plain = { type: 'object', properties: { spec: { type: 'object' } } }
const text = { type: 'string' }
const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true }
const free = { 'x-kubernetes-preserve-unknown-fields': true }
const intOrString = { 'x-kubernetes-int-or-string': true }

const everyKeyword = {
  ...{ text: { ...text, description: 'Words.', enum: ['a', ''], default: 'a', nullable: true, maxLength: 10 } },
  ...{ pattern: { ...text, pattern: '^x', minLength: 0, format: 'date-time', title: 'T', example: { a: 1 } } },
  ...{ docs: { ...text, externalDocs: { url: 'https://example.com', description: 'more' } } },
  ...{ number: { type: 'number', format: 'double', minimum: 0, exclusiveMinimum: true, maximum: 9, multipleOf: 0.5 } },
  ...{ integer: { type: 'integer', format: 'int32', default: 0, exclusiveMaximum: false } },
  ...{ off: { type: 'boolean', default: false }, maybe: { ...text, nullable: true, enum: ['a', null] } },
  ...{ any: free, free: { type: 'object', ...free, default: { a: null, b: { c: false } } } },
  ...{ port: intOrString, share: { ...intOrString, anyOf: [{ pattern: '%$' }, { minimum: 1 }] } },
  ...{ told: { ...intOrString, anyOf: [{ type: 'integer' }, { type: 'string' }], nullable: true } },
  ...{ toldAll: { ...intOrString, allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { pattern: '^x' }] } },
  ...{ inner: { ...embedded, ...free, description: 'Any object.' } },
  ...{ inners: { type: 'array', items: { ...embedded, properties: { spec: plain }, required: ['kind', 'spec'] } } },
  list: {
    ...{ type: 'array', maxItems: 3, minItems: 0, uniqueItems: false },
    ...{ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
    items: { type: 'object', required: ['name'], properties: { name: text } },
  },
  ...{ set: { type: 'array', items: text, default: [], 'x-kubernetes-list-type': 'set' } },
  ...{ map: { type: 'object', additionalProperties: { type: 'array', items: { ...text, nullable: true } } } },
  ...{ open: { type: 'object', additionalProperties: true, 'x-kubernetes-map-type': 'granular' } },
  ...{ empty: { type: 'object', properties: {}, required: [], description: '', nullable: false } },
  choice: {
    ...{ type: 'object', properties: { a: text, b: { type: 'array', items: { type: 'integer' } } }, maxProperties: 3 },
    ...{ oneOf: [{ required: ['a'] }, { required: ['b'] }], not: { required: ['a', 'b'] } },
    anyOf: [{ properties: { a: { enum: ['x'] } } }, { not: { properties: { b: { items: { minimum: 3 } } } } }],
  },
  ...{ kept: { ...text, maxLength: 5, 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'stays' }] } },
}

const whole = {
  type: 'object',
  description: 'A gauge measures.',
  required: ['spec'],
  properties: {
    apiVersion: { type: 'string', description: 'not told' },
    metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 9 } } },
    spec: { type: 'object', default: { text: 'a' }, properties: { ...everyKeyword, ...replicas.properties } },
    status: replicas,
  },
}

interface ToldVersion {
  name: string
  schema?: object
  served?: boolean
  [field: string]: unknown
}

function definition(group: string, scope: string, names: { plural: string; kind: string }, versions: ToldVersion[]) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    // Groups of Kubernetes itself need somebody's approval.
    metadata: { name: `${names.plural}.${group}`, annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' } },
    spec: {
      group,
      scope,
      names,
      versions: versions.map(({ schema = plain, ...version }, index) => ({
        ...{ served: true, storage: index === 0, schema: { openAPIV3Schema: schema } },
        ...version,
      })),
    },
  }
}

export const toldKinds = [
  definition('told.lanyard.test', 'Namespaced', { plural: 'gauges', kind: 'Gauge', ...{ shortNames: ['ga'] } }, [
    { name: 'v1beta1', schema: { type: 'object', ...free }, deprecated: true },
    {
      name: 'v1',
      schema: whole,
      subresources: { status: {}, scale },
      selectableFields: [{ jsonPath: '.spec.text' }],
    },
    { name: 'v3alpha1', served: false },
  ]),
  definition('told.lanyard.test', 'Cluster', { plural: 'dials', kind: 'Dial', ...{ categories: ['all'] } }, [
    { name: 'v1' },
    { name: 'v2alpha1', subresources: { status: {} } },
    { name: 'foo' },
    { name: 'v10' },
  ]),
  definition(
    'my-group.2x.lanyard.test',
    'Namespaced',
    { plural: 'apples', kind: 'apple-Kind', ...{ listKind: 'Bag' } },
    [{ name: 'foo1' }],
  ),
  definition('aa.lanyard.test', 'Cluster', { plural: 'lens', kind: 'Lens' }, [{ name: 'v1' }]),
  definition('told.lanyard.k8s.io', 'Namespaced', { plural: 'glass', kind: 'Glass' }, [{ name: 'v1' }]),
]

export const toldVersions = toldKinds.flatMap(({ spec }) =>
  spec.versions.filter(({ served }) => served).map(({ name }) => `${spec.group}/${name}`),
)
