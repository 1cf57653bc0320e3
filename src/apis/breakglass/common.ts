import type { Static, TSchemaOptions } from 'typebox'
import * as Type from 'typebox'
import { MapOf } from '../fields.ts'

export const breakglassGroup = 'breakglass.t-caas.telekom.com'

/** `https://` and something after it; what exactly, admission looks at. */
export const HttpsUrl = (options: TSchemaOptions) => Type.String({ minLength: 1, pattern: '^https://.+', ...options })

const secretFields = {
  name: Type.String({ minLength: 1, description: 'Of the Secret.' }),
  namespace: Type.String({ minLength: 1, description: 'Of the Secret; any.' }),
  key: Type.Optional(Type.String({ description: 'Within the Secret. Given, no other is looked at.' })),
}

/** Where a secret value is. Which key is read when none is given depends on what is kept there. */
export const SecretKeyReference = (description: string) => Type.Object(secretFields, { description })
export type SecretKeyReference = Static<ReturnType<typeof SecretKeyReference>>

/** Where a Secret is of which several keys are read. */
export const SecretReference = (description: string) =>
  Type.Object({ name: secretFields.name, namespace: secretFields.namespace }, { description })
export type SecretReference = Static<ReturnType<typeof SecretReference>>

/** PEM, in plain text. */
export const AuthorityPem = (description: string) => Type.Optional(Type.String({ description }))

/** The JSON path of a condition's status, for a column. */
export const conditionStatus = (type: string): string => `.status.conditions[?(@.type=="${type}")].status`

/** How long: `90m`, `1h30m`, `1d12h`. That it is above 0, admission looks at. */
export const Duration = (options: TSchemaOptions) =>
  Type.String({ minLength: 1, pattern: '^([0-9]+d)?([0-9]+(\\.[0-9]+)?(ns|us|ms|s|m|h))*$', ...options })

/** A list of words that may be absent. Not a set: objects made elsewhere may say a thing twice. */
export const Words = (description: string, options: TSchemaOptions = {}) =>
  Type.Optional(Type.Array(Type.String(), { ...options, description }))

const reasonFields = {
  mandatory: Type.Optional(Type.Boolean({ description: 'Whether one must be given.' })),
  description: Type.Optional(Type.String({ description: 'What to write there, for people.' })),
}

/** Whether people are asked why. */
export const ReasonConfig = (description: string) => Type.Object(reasonFields, { description })
export type ReasonConfig = Static<ReturnType<typeof ReasonConfig>>

const LabelRequirement = Type.Object(
  {
    key: Type.String({ minLength: 1, maxLength: 63, description: 'The label that is looked at.' }),
    operator: Type.Enum(['In', 'NotIn', 'Exists', 'DoesNotExist'], { description: 'What must be so about it.' }),
    values: Words('What In and NotIn compare with.'),
  },
  { description: 'One requirement on one label.' },
)

const namespaceFields = {
  patterns: Words('Names; may hold *.'),
  selectorTerms: Type.Optional(
    Type.Array(
      Type.Object(
        {
          matchLabels: Type.Optional(
            MapOf(Type.String(), { description: 'Labels with the exact value each must have.' }),
          ),
          matchExpressions: Type.Optional(
            Type.Array(LabelRequirement, { description: 'Requirements beyond equality.' }),
          ),
        },
        { description: 'Every part must hold.' },
      ),
      { description: 'By the labels of the namespace.' },
    ),
  ),
}

/** Namespaces: those that a pattern or a term fits. */
export const NamespaceFilter = (description: string) => Type.Object(namespaceFields, { description })
export type NamespaceFilter = Static<ReturnType<typeof NamespaceFilter>>
