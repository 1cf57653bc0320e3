import { goQuote } from '../go-quote.ts'
import { compileClaims, compileClaimsCondition, compileUserCondition } from './claim-expressions.ts'
import type { JwtFields, MappingFields } from './file-schema.ts'
import type { User } from './user.ts'
import { credentialIdKey } from './verdict.ts'

export type Claims = Readonly<Record<string, unknown>>

/** What a token is refused for, in the words of Kubernetes. */
export class ClaimError extends Error {}

/** Makes users of claims, as the configuration says, or throws a ClaimError. */
export function claimMapping({ claimMappings = {}, claimValidationRules = [], userValidationRules = [] }: JwtFields) {
  const { username = {}, groups = {}, uid = {}, extra = [] } = claimMappings
  const nameOf = usernameReader(username)
  const groupsOf = groupsReader(groups)
  const uidOf = uidReader(uid)
  const extras = extra.map(({ key = '', valueExpression = '' }) => ({
    key,
    valueExpression,
    program: compileClaims(valueExpression),
  }))
  const required = claimValidationRules.filter(({ claim }) => claim)
  const claimRules = claimValidationRules
    .filter(({ expression }) => expression)
    .map(({ expression = '', message }) => ({ expression, message, holds: compileClaimsCondition(expression) }))
  const userRules = userValidationRules.map(({ expression = '', message }) => ({
    expression,
    message,
    holds: compileUserCondition(expression),
  }))

  return (claims: Claims): User => {
    const name = nameOf(claims)
    const [userGroups, userUid] = [groupsOf(claims), uidOf(claims)]
    const userExtra: Record<string, string[]> = {}
    for (const { key, valueExpression, program } of extras) {
      const about = `error evaluating extra claim expression: ${valueExpression}`
      const values = stringsOf(evaluated(program, { claims }, about), about)
      if (values.length > 0) userExtra[key] = values
    }
    if (typeof claims['jti'] === 'string' && claims['jti'] !== '') userExtra[credentialIdKey] = [`JTI=${claims['jti']}`]
    for (const rule of required) checkRequired(claims, rule.claim ?? '', rule.requiredValue ?? '')
    checkRules(claimRules, { claims }, 'error evaluating claim validation expression')
    const user = { username: name, uid: userUid, groups: userGroups, extra: userExtra }
    checkRules(userRules, { user }, 'error evaluating user info validation rule')
    return {
      name,
      groups: userGroups,
      ...(userUid !== '' && { uid: userUid }),
      ...(Object.keys(userExtra).length > 0 && { extra: userExtra }),
    }
  }
}

type Program = ReturnType<typeof compileClaims>

const refused = (why: string) => new ClaimError(`oidc: ${why}`)

function evaluated(program: Program, values: Record<string, unknown>, about: string): unknown {
  try {
    return program(values)
  } catch (error) {
    throw refused(`${about}: ${(error as Error).message}`)
  }
}

function usernameReader({ claim = '', prefix = '', expression = '' }: MappingFields): (claims: Claims) => string {
  if (expression !== '') {
    const program = compileClaims(expression)
    const about = 'error evaluating username claim expression'
    return (claims) => named(textOf(evaluated(program, { claims }, about), about, 'username'))
  }
  return (claims) => {
    const name = textClaim(claims, claim, `parse username claims ${goQuote(claim)}`)
    if (claim === 'email' && Object.hasOwn(claims, 'email_verified')) {
      const verified = claims['email_verified']
      if (typeof verified !== 'boolean' && verified !== null)
        throw refused(`parse 'email_verified' claim: ${cannotBe(verified, 'bool')}`)
      if (!verified) throw refused('email not verified')
    }
    return named(`${prefix}${name}`)
  }
}

/** A user without a name is nobody. */
function named(name: string): string {
  if (name === '') throw refused('the name of the user is empty')
  return name
}

function groupsReader({ claim = '', prefix = '', expression = '' }: MappingFields): (claims: Claims) => string[] {
  if (expression !== '') {
    const program = compileClaims(expression)
    const about = 'error evaluating group claim expression'
    return (claims) => stringsOf(evaluated(program, { claims }, about), about)
  }
  return (claims) => {
    const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined
    if (value === undefined || value === null) return []
    const groups = Array.isArray(value) ? value : [value]
    const stranger = groups.find((group) => typeof group !== 'string')
    if (stranger !== undefined) throw refused(`parse groups claim ${goQuote(claim)}: ${cannotBe(value, 'string')}`)
    return groups.map((group) => `${prefix}${group}`)
  }
}

function uidReader({
  claim = '',
  expression = '',
}: {
  claim?: string
  expression?: string
}): (claims: Claims) => string {
  if (claim !== '') return (claims) => textClaim(claims, claim, `parse uid claim ${goQuote(claim)}`)
  if (expression === '') return () => ''
  const program = compileClaims(expression)
  const about = 'error evaluating uid claim expression'
  return (claims) => textOf(evaluated(program, { claims }, about), about, 'uid')
}

function textOf(value: unknown, about: string, what: string): string {
  if (typeof value !== 'string') throw refused(`${about}: ${what} claim expression must return a string`)
  return value
}

/** A string or a list of them; what is empty is not there. */
function stringsOf(value: unknown, about: string): string[] {
  if (value === null || value === undefined) return []
  const list = Array.isArray(value) ? value : [value]
  if (!list.every((item) => typeof item === 'string'))
    throw refused(`${about}: expression must return a string or a list of strings`)
  return list.filter((item) => item !== '')
}

function textClaim(claims: Claims, claim: string, about: string): string {
  if (!Object.hasOwn(claims, claim)) throw refused(`${about}: claim not present`)
  const value = claims[claim] ?? ''
  if (typeof value !== 'string') throw refused(`${about}: ${cannotBe(value, 'string')}`)
  return value
}

const cannotBe = (value: unknown, type: string): string => {
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
  return `json: cannot unmarshal ${found} into Go value of type ${type}`
}

function checkRequired(claims: Claims, claim: string, wanted: string): void {
  if (!Object.hasOwn(claims, claim)) throw refused(`required claim ${claim} not present in ID token`)
  const value = claims[claim] ?? ''
  if (typeof value !== 'string') throw refused(`parse claim ${claim}: ${cannotBe(value, 'string')}`)
  if (value !== wanted) throw refused(`required claim ${claim} value does not match. Got = ${value}, want = ${wanted}`)
}

interface CompiledRule {
  expression: string
  message?: string | undefined
  holds: Program
}

function checkRules(rules: readonly CompiledRule[], values: Record<string, unknown>, about: string): void {
  for (const { expression, message = '', holds } of rules)
    if (evaluated(holds, values, about) !== true)
      throw refused(`${about}: validation expression '${expression}' failed: ${message}`)
}
