import type { Schema } from '../../core/schema/schema.ts'

const text: Schema = { type: 'string' }
const list = (items: Schema): Schema => ({ type: 'array', items })
const closed = (properties: Record<string, Schema>): Schema => ({
  type: 'object',
  properties,
  additionalProperties: false,
})

/** What an AuthenticationConfiguration may hold. Which of it must go together is for `config-checks.ts`. */
export const configSchema: Schema = closed({
  apiVersion: text,
  kind: text,
  jwt: list(
    closed({
      issuer: closed({
        url: text,
        discoveryURL: text,
        certificateAuthority: text,
        audiences: list(text),
        audienceMatchPolicy: text,
        egressSelectorType: text,
      }),
      claimValidationRules: list(closed({ claim: text, requiredValue: text, expression: text, message: text })),
      claimMappings: closed({
        username: closed({ claim: text, prefix: text, expression: text }),
        groups: closed({ claim: text, prefix: text, expression: text }),
        uid: closed({ claim: text, expression: text }),
        extra: list(closed({ key: text, valueExpression: text })),
      }),
      userValidationRules: list(closed({ expression: text, message: text })),
    }),
  ),
  anonymous: closed({ enabled: { type: 'boolean' }, conditions: list(closed({ path: text })) }),
})

/** The same as types: what the schema lets through. */
export interface ConfigFields {
  apiVersion?: string
  kind?: string
  jwt?: JwtFields[]
  anonymous?: AnonymousFields
}

export interface AnonymousFields {
  enabled?: boolean
  conditions?: { path?: string }[]
}

export interface JwtFields {
  issuer?: IssuerFields
  claimValidationRules?: { claim?: string; requiredValue?: string; expression?: string; message?: string }[]
  claimMappings?: {
    username?: MappingFields
    groups?: MappingFields
    uid?: { claim?: string; expression?: string }
    extra?: { key?: string; valueExpression?: string }[]
  }
  userValidationRules?: { expression?: string; message?: string }[]
}

export interface IssuerFields {
  url?: string
  discoveryURL?: string
  certificateAuthority?: string
  audiences?: string[]
  audienceMatchPolicy?: string
  egressSelectorType?: string
}

export interface MappingFields {
  claim?: string
  prefix?: string
  expression?: string
}
