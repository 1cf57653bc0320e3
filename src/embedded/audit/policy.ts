import type { Schema } from '../../core/schema/schema.ts'

/** How much of a request is written down, from nothing to everything. */
export const levels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const
export type Level = (typeof levels)[number]

/** When it is written down. */
export const stages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const
export type Stage = (typeof stages)[number]

/** A Policy of `audit.k8s.io/v1`, as the file may hold it. */
export interface PolicyFields {
  omitStages?: string[]
  omitManagedFields?: boolean
  rules?: RuleFields[]
}

/** What a list asks for, one of its entries must be; an empty list asks for nothing. */
export interface RuleFields {
  level?: string
  users?: string[]
  userGroups?: string[]
  verbs?: string[]
  resources?: ResourceFields[]
  namespaces?: string[]
  nonResourceURLs?: string[]
  omitStages?: string[]
  omitManagedFields?: boolean
}

export interface ResourceFields {
  group?: string
  // `pods`, `pods/log`, `pods/*`, `*/status` or `*`.
  resources?: string[]
  resourceNames?: string[]
}

/** A policy that can be asked. */
export interface Policy {
  /** The first that matches decides. */
  readonly rules: readonly Rule[]
}

export interface Rule extends Pick<RuleFields, 'users' | 'userGroups' | 'verbs' | 'namespaces' | 'nonResourceURLs'> {
  readonly resources?: readonly ResourceFields[]
  readonly wanted: Wanted
}

/** What the log is to hold of a request. */
export interface Wanted {
  readonly level: Level
  readonly omitStages: ReadonlySet<Stage>
  readonly omitManagedFields: boolean
}

export const nothing: Wanted = { level: 'None', omitStages: new Set(), omitManagedFields: false }

/** Who did what to what, without what it was about. */
export const metadataOfAll: Policy = { rules: [{ wanted: { ...nothing, level: 'Metadata' } }] }

const text: Schema = { type: 'string' }
const texts: Schema = { type: 'array', items: text }
const isOn: Schema = { type: 'boolean' }

export const policySchema: Schema = {
  type: 'object',
  properties: {
    apiVersion: text,
    kind: text,
    metadata: { type: 'object', additionalProperties: true },
    omitStages: texts,
    omitManagedFields: isOn,
    rules: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          level: text,
          users: texts,
          userGroups: texts,
          verbs: texts,
          resources: {
            type: 'array',
            items: { type: 'object', properties: { group: text, resources: texts, resourceNames: texts } },
          },
          namespaces: texts,
          nonResourceURLs: texts,
          omitStages: texts,
          omitManagedFields: isOn,
        },
      },
    },
  },
}
