import type { Static, TArray, TObject, TOptional, TSchema, TSchemaOptions, TUnsafe } from 'typebox'
import * as Type from 'typebox'
import type { Rule } from '../core/schema/schema.ts'

/** Fields that many resources share, and what JSON Schema has no word for. */

/** A point in time, RFC 3339. */
export const Time = (options: TSchemaOptions = {}) => Type.String({ format: 'date-time', ...options })

/** Bytes, base64 on the wire. */
export const Bytes = (options: TSchemaOptions = {}) => Type.String({ format: 'byte', ...options })

export const Int32 = (options: TSchemaOptions = {}) => Type.Integer({ format: 'int32', ...options })
export const Int64 = (options: TSchemaOptions = {}) => Type.Integer({ format: 'int64', ...options })

/** A whole number or text, such as `3` or `"25%"`. */
export const IntOrString = (options: TSchemaOptions = {}): TUnsafe<number | string> =>
  Type.Unsafe({ 'x-kubernetes-int-or-string': true, ...options })

/** An amount of a resource: `2`, `"500m"`, `"1Gi"`. */
export const Quantity = (options: TSchemaOptions = {}): TUnsafe<number | string> =>
  IntOrString({
    pattern:
      '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
    ...options,
  })

/** A map from any text. Lighter than Type.Record, which brings typebox's whole engine for types of keys. */
export const MapOf = <T extends TSchema>(value: T, options: TSchemaOptions = {}): TUnsafe<Record<string, Static<T>>> =>
  Type.Unsafe({ type: 'object', additionalProperties: value, ...options } as TSchema)

/** An object whose fields are not ours to know. */
export const AnyObject = (options: TSchemaOptions = {}): TUnsafe<Record<string, unknown>> =>
  Type.Unsafe({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true, ...options })

/** A whole Kubernetes object inside another. */
export const EmbeddedObject = (options: TSchemaOptions = {}): TUnsafe<Record<string, unknown>> =>
  AnyObject({ 'x-kubernetes-embedded-resource': true, ...options })

/** For the options of a list whose items are told apart by these fields: server-side apply merges them one by one. */
export const listMap = (...keys: [string, ...string[]]) => ({
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
})
/** For a list without duplicates. */
export const listSet = { 'x-kubernetes-list-type': 'set' }
/** For a list that is replaced whole. */
export const listAtomic = { 'x-kubernetes-list-type': 'atomic' }

/** For the options of a field that must keep rules in CEL. */
export const rules = (...all: [Rule, ...Rule[]]) => ({ 'x-kubernetes-validations': all })

/** A name, possibly with a DNS subdomain before it: `example.io/name`. */
export const qualifiedName =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$'

/** A name that a namespace can have, but for its length of at most 63. */
export const namespaceName = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'

/** The condition of Kubernetes; `src/core/conditions.ts` works with it. */
export const Condition = Type.Object(
  {
    type: Type.String({ maxLength: 316, pattern: qualifiedName, description: 'What the condition speaks of.' }),
    status: Type.Enum(['True', 'False', 'Unknown'], { description: 'Whether it holds.' }),
    observedGeneration: Type.Optional(
      Int64({ minimum: 0, description: 'The generation of the object that the condition was found on.' }),
    ),
    lastTransitionTime: Time({ description: 'When the status last changed.' }),
    reason: Type.String({
      minLength: 1,
      maxLength: 1024,
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
      description: 'Why, as a word that programs can compare.',
    }),
    message: Type.String({ maxLength: 32_768, description: 'Why, and what to do next, for people.' }),
  },
  { description: 'One thing that is or is not so about the object.' },
)

export const Conditions = (description: string): TOptional<TArray<typeof Condition>> =>
  Type.Optional(Type.Array(Condition, { ...listMap('type'), description }))

const Requirement = Type.Object(
  {
    key: Type.String({ description: 'The label that is looked at.' }),
    operator: Type.String({ description: 'In, NotIn, Exists or DoesNotExist.' }),
    values: Type.Optional(
      Type.Array(Type.String(), {
        ...listAtomic,
        description: 'What In and NotIn compare with; empty for the other two.',
      }),
    ),
  },
  { description: 'One requirement on one label.' },
)

/** Labels that objects must have to be selected. Every part must hold; an empty selector selects everything. */
export const LabelSelector = (options: TSchemaOptions = {}): TObject<typeof selectorFields> =>
  Type.Object(selectorFields, { 'x-kubernetes-map-type': 'atomic', ...options })

const selectorFields = {
  matchLabels: Type.Optional(MapOf(Type.String(), { description: 'Labels with the exact value each must have.' })),
  matchExpressions: Type.Optional(
    Type.Array(Requirement, { ...listAtomic, description: 'Requirements beyond equality.' }),
  ),
}
