import { operatorIsKnown } from './conditions.ts'
import { refuse } from './refusals.ts'

export type Condition = Record<string, Record<string, string[]>>

export interface Statement {
  effect: 'Allow' | 'Deny'
  actions: string[]
  condition: Condition
}

export interface AccessStatement extends Statement {
  resources: string[]
}

export interface TrustStatement extends Statement {
  principals: Principal[]
}

/** `'*'` alone is an AWS one. */
export interface Principal {
  kind: 'AWS' | 'Federated' | 'Service'
  value: string
}

export interface PolicyDocument {
  statements: AccessStatement[]
}

export interface TrustDocument {
  statements: TrustStatement[]
  /** As it was given, for the answer; principals aside. */
  source: { Version?: string; Id?: string; Statement: Json[] }
}

export type Json = Record<string, unknown>

const trustAction = /^sts:(\*|AssumeRole\w*\*?|TagSession|SetSourceIdentity)$/

/** Of what a caller may do. */
export function accessPolicy(text: string): PolicyDocument {
  const statements = statementsOf(text).map((json) => {
    if ('Principal' in json || 'NotPrincipal' in json) refuse('ACCESS_WITH_PRINCIPAL')
    onlyFields(json, ['Sid', 'Effect', 'Action', 'Resource', 'Condition'])
    if (!('Resource' in json)) refuse('DOCUMENT_WITHOUT_RESOURCE')
    const resources = texts(json['Resource'], 'Resource')
    for (const resource of resources)
      if (resource !== '*' && !/^arn:[^:]*:[^:]*:[^:]*:[^:]*:.+/.test(resource))
        refuse('RESOURCE_NOT_ARN', { resource })
    return { ...statementOf(json), resources }
  })
  return { statements }
}

/** Of who may assume a role. */
export function trustPolicy(text: string): TrustDocument {
  const sources = statementsOf(text)
  const statements = sources.map((json) => {
    if ('Resource' in json || 'NotResource' in json) refuse('TRUST_WITH_RESOURCE')
    if (!('Principal' in json)) refuse('TRUST_WITHOUT_PRINCIPAL')
    onlyFields(json, ['Sid', 'Effect', 'Action', 'Principal', 'Condition'])
    const statement = statementOf(json)
    if (!statement.actions.every((action) => trustAction.test(action))) refuse('TRUST_ACTION_WRONG')
    return { ...statement, principals: principalsOf(json['Principal']) }
  })
  const { Version, Id } = JSON.parse(text)
  return { statements, source: { ...(Version && { Version }), ...(Id && { Id }), Statement: sources } }
}

function statementsOf(text: string): Json[] {
  const document = parsed(text)
  if (!isObject(document)) refuse('DOCUMENT_SYNTAX', { what: 'a document is an object' })
  onlyFields(document, ['Version', 'Id', 'Statement'])
  const { Version = '2008-10-17' } = document
  if (Version !== '2012-10-17' && Version !== '2008-10-17') refuse('DOCUMENT_SYNTAX', { what: `version ${Version}` })
  const statements = [document['Statement'] ?? []].flat()
  if (statements.length === 0) refuse('DOCUMENT_SYNTAX', { what: 'no statement' })
  return statements.map((one) =>
    isObject(one) ? one : refuse('DOCUMENT_SYNTAX', { what: 'a statement is an object' }),
  )
}

function statementOf(json: Json): Statement {
  const effect = json['Effect']
  if (effect !== 'Allow' && effect !== 'Deny') refuse('DOCUMENT_SYNTAX', { what: `effect ${effect}` })
  if (!('Action' in json)) refuse('DOCUMENT_WITHOUT_ACTION')
  const actions = texts(json['Action'], 'Action')
  if (!actions.every((action) => /^(\*|[a-z0-9-]+:[\w*?]+)$/i.test(action))) refuse('ACTION_WITHOUT_VENDOR')
  return { effect, actions, condition: conditionOf(json['Condition'] ?? {}) }
}

function conditionOf(json: unknown): Condition {
  if (!isObject(json)) refuse('DOCUMENT_SYNTAX', { what: 'a condition is an object' })
  return Object.fromEntries(
    Object.entries(json).map(([operator, keys]) => {
      if (!operatorIsKnown(operator)) refuse('OPERATOR_UNKNOWN', { operator })
      if (!isObject(keys)) refuse('DOCUMENT_SYNTAX', { what: `${operator} is an object` })
      return [
        operator,
        Object.fromEntries(Object.entries(keys).map(([key, value]) => [key, texts(scalars(value), key)])),
      ]
    }),
  )
}

function principalsOf(json: unknown): Principal[] {
  if (json === '*') return [{ kind: 'AWS', value: '*' }]
  if (!isObject(json)) refuse('DOCUMENT_SYNTAX', { what: 'a principal is * or an object' })
  return Object.entries(json).flatMap(([kind, values]) => {
    if (kind !== 'AWS' && kind !== 'Federated' && kind !== 'Service')
      refuse('PRINCIPAL_INVALID', { kind, principal: String(values) })
    return texts(values, kind).map((value) => ({ kind, value }))
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return refuse('DOCUMENT_NOT_JSON')
  }
}

function onlyFields(json: Json, known: readonly string[]): void {
  const other = Object.keys(json).find((field) => !known.includes(field))
  if (other !== undefined) refuse('DOCUMENT_SYNTAX', { what: `field ${other}` })
}

/** A condition may say true or 3600 without quotes. */
const scalars = (value: unknown): unknown[] =>
  [value].flat().map((one) => (typeof one === 'boolean' || typeof one === 'number' ? String(one) : one))

/** Policy variables are refused: the stand-in would take them for plain text, and allow or deny the wrong things. */
function texts(value: unknown, field: string): string[] {
  const all = [value].flat()
  if (all.length === 0) refuse('DOCUMENT_SYNTAX', { what: `${field} is empty` })
  return all.map((one) =>
    typeof one === 'string' && !one.includes('${') ? one : refuse('DOCUMENT_SYNTAX', { what: `${field} ${one}` }),
  )
}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
