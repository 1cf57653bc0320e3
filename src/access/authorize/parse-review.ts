import { issuerExtra } from '../names.ts'
import type { Asked } from './contract.ts'

export interface ParsedReview {
  /** Answered as it was asked. */
  readonly apiVersion: string
  readonly asked: Asked
}

type Fields = Readonly<Record<string, unknown>>

/** Each with the name that it has for the groups of the user. */
const groupsField: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  'authorization.k8s.io/v1': 'groups',
  'authorization.k8s.io/v1beta1': 'group',
})

/**
 * A SubjectAccessReview as an API server sends it; undefined for anything else. Fields that nobody asks for may be
 * anything. A key that is there twice counts as it is there last, as Kubernetes reads it.
 */
export function parseReview(text: string): ParsedReview | undefined {
  let review: unknown
  try {
    review = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isFields(review) || review['kind'] !== 'SubjectAccessReview') return undefined
  const { apiVersion, spec } = review
  const groupsName = typeof apiVersion === 'string' ? groupsField[apiVersion] : undefined
  if (groupsName === undefined || !isFields(spec)) return undefined
  const asked = askedIn(spec, groupsName)
  return asked && { apiVersion: apiVersion as string, asked }
}

function askedIn(spec: Fields, groupsName: string): Asked | undefined {
  const { user, extra, resourceAttributes: resource, nonResourceAttributes: path } = spec
  const groups = spec[groupsName] ?? none
  const issuer = isAbsent(extra) ? undefined : issuerIn(extra)
  if (!isText(user) || !isTexts(groups) || issuer === wrong) return undefined
  if (isAbsent(resource) === isAbsent(path)) return undefined
  const who = { user: user ?? '', groups, ...(issuer !== undefined && { issuer }) }
  return isAbsent(resource) ? withPath(who, path) : withResource(who, resource)
}

type Who = Pick<Asked, 'user' | 'groups' | 'issuer'>

function withResource(who: Who, attributes: unknown): Asked | undefined {
  if (!isFields(attributes)) return undefined
  const { verb, group, version, resource, subresource, namespace, name } = attributes
  if (!isText(verb) || !isText(group) || !isText(version) || !isText(resource)) return undefined
  if (!isText(subresource) || !isText(namespace) || !isText(name)) return undefined
  return {
    ...who,
    verb: verb ?? '',
    resource: {
      group: group ?? '',
      version: version ?? '',
      resource: resource ?? '',
      subresource: subresource ?? '',
      namespace: namespace ?? '',
      name: name ?? '',
    },
  }
}

function withPath(who: Who, attributes: unknown): Asked | undefined {
  if (!isFields(attributes)) return undefined
  const { verb, path } = attributes
  return isText(verb) && isText(path) ? { ...who, verb: verb ?? '', path: path ?? '' } : undefined
}

const wrong = Symbol('wrong')

/** The first, as the field has it; of none there is none. */
function issuerIn(extra: unknown): string | undefined | typeof wrong {
  if (!isFields(extra)) return wrong
  const values = Object.hasOwn(extra, issuerExtra) ? extra[issuerExtra] : undefined
  if (isAbsent(values)) return undefined
  return isTexts(values) ? values[0] : wrong
}

const none: readonly string[] = []
const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null
const isText = (value: unknown): value is string | undefined | null => isAbsent(value) || typeof value === 'string'
const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
