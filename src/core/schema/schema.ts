/**
 * The form in which Lanyard holds a declaration once it is made: the structural schemas of OpenAPI 3 that Kubernetes
 * serves. Declared with typebox, turned into this by `structural`, then checked, defaulted and pruned by the files
 * beside this one. typebox's own checker was left out because it knows nothing of `nullable`, pruning, list types and
 * the order of defaults, and is the larger half of what a process would load of it.
 */
export interface Schema {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  title?: string
  description?: string
  default?: unknown
  nullable?: boolean
  enum?: unknown[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: boolean
  exclusiveMaximum?: boolean
  multipleOf?: number
  items?: Schema
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  minProperties?: number
  maxProperties?: number
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  not?: Schema
  'x-kubernetes-int-or-string'?: boolean
  'x-kubernetes-preserve-unknown-fields'?: boolean
  'x-kubernetes-embedded-resource'?: boolean
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  'x-kubernetes-list-map-keys'?: string[]
  'x-kubernetes-map-type'?: 'atomic' | 'granular'
  'x-kubernetes-validations'?: Rule[]
}

/** A rule in CEL that the API server evaluates. */
export interface Rule {
  rule: string
  message?: string
  messageExpression?: string
  reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate'
  fieldPath?: string
  optionalOldSelf?: boolean
}

export type Path = readonly (string | number)[]

/** `spec.taints[0].key` */
export const pathText = (path: Path): string =>
  path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`),
    '',
  )

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** JSON with the fields of every object in the order of their names: the same for what is equal. */
export const sortedJson = (value: unknown): string => JSON.stringify(value, sortFields)

const sortFields = (_: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value
