import { isFailure } from '../../core/failure.ts'
import { readCertificates } from '../../pki/index.ts'
import type { FieldError } from '../kinds/field-errors.ts'
import { duplicateValue, invalidValue, required, tooMany } from '../kinds/field-errors.ts'
import {
  compileClaims,
  compileClaimsCondition,
  compileUserCondition,
  usesEmail,
  usesEmailVerified,
} from './claim-expressions.ts'
import { checkDomainPrefixedPath } from './domain-prefixed-path.ts'
import type { ConfigFields, IssuerFields, JwtFields, MappingFields } from './file-schema.ts'

/** What is wrong with a configuration, in the words of Kubernetes. `reserved` are issuers that are taken. */
export function checkConfig({ jwt = [], anonymous }: ConfigFields, reserved: readonly string[]): FieldError[] {
  if (jwt.length > 64) return [tooMany('jwt', jwt.length, 64)]
  const errors = jwt.flatMap((authenticator, index) => checkJwt(authenticator, `jwt[${index}]`, reserved))
  for (const field of ['url', 'discoveryURL'] as const)
    errors.push(...repeated(jwt, `issuer.${field}`, ({ issuer }) => issuer?.[field]))
  if (anonymous && !anonymous.enabled && anonymous.conditions?.length)
    errors.push(
      invalidValue(
        'anonymous.conditions',
        anonymous.conditions,
        'enabled should be set to true when conditions are defined',
      ),
    )
  return errors
}

const repeated = <T>(items: readonly T[], field: string, told: (item: T) => string | undefined, at = 'jwt') => {
  const values = items.map(told)
  return values.flatMap((value, index) =>
    value && values.indexOf(value) < index ? [duplicateValue(`${at}[${index}].${field}`, value)] : [],
  )
}

export const checkJwt = (authenticator: JwtFields, at: string, reserved: readonly string[]): FieldError[] => [
  ...checkIssuer(authenticator.issuer ?? {}, `${at}.issuer`, reserved),
  ...checkClaimRules(authenticator, `${at}.claimValidationRules`),
  ...checkMappings(authenticator, `${at}.claimMappings`),
  ...checkUserRules(authenticator, `${at}.userValidationRules`),
]

function checkIssuer(issuer: IssuerFields, at: string, reserved: readonly string[]): FieldError[] {
  const { url = '', discoveryURL = '', certificateAuthority = '', egressSelectorType = '' } = issuer
  const errors = url === '' ? [required(`${at}.url`)] : checkUrl(url, `${at}.url`, reserved)
  if (discoveryURL !== '') {
    const withoutSlash = (address: string) => address.replace(/\/+$/, '')
    if (withoutSlash(url) === withoutSlash(discoveryURL))
      errors.push(invalidValue(`${at}.discoveryURL`, discoveryURL, 'discoveryURL must be different from URL'))
    errors.push(...checkUrl(discoveryURL, `${at}.discoveryURL`, []))
  }
  errors.push(...checkAudiences(issuer, at), ...checkAuthority(certificateAuthority, `${at}.certificateAuthority`))
  if (egressSelectorType !== '')
    errors.push(invalidValue(`${at}.egressSelectorType`, egressSelectorType, 'egress selectors are not served here'))
  return errors
}

function checkUrl(url: string, at: string, reserved: readonly string[]): FieldError[] {
  const parsed = URL.parse(url)
  if (!parsed) return [invalidValue(at, url, 'it is not a URL')]
  const flaws = [
    reserved.includes(url) && `URL must not overlap with disallowed issuers: [${reserved.join(' ')}]`,
    parsed.protocol !== 'https:' && 'URL scheme must be https',
    (parsed.username || parsed.password) && 'URL must not contain a username or password',
    parsed.search && 'URL must not contain a query',
    parsed.hash && 'URL must not contain a fragment',
  ]
  return flaws.flatMap((flaw) => (flaw ? [invalidValue(at, url, flaw)] : []))
}

function checkAudiences({ audiences = [], audienceMatchPolicy: policy = '' }: IssuerFields, at: string): FieldError[] {
  if (audiences.length === 0) return [required(`${at}.audiences`, `at least one ${at}.audiences is required`)]
  const errors = audiences.flatMap((audience, index) => {
    const field = `${at}.audiences[${index}]`
    if (audience === '') return [required(field)]
    return audiences.indexOf(audience) < index ? [duplicateValue(field, audience)] : []
  })
  const wrong = (why: string) => invalidValue(`${at}.audienceMatchPolicy`, policy, `audienceMatchPolicy must be ${why}`)
  if (audiences.length > 1 && policy !== 'MatchAny') errors.push(wrong('MatchAny for multiple audiences'))
  if (audiences.length === 1 && policy !== '' && policy !== 'MatchAny')
    errors.push(wrong('empty or MatchAny for single audience'))
  return errors
}

function checkAuthority(pem: string, at: string): FieldError[] {
  if (pem === '') return []
  try {
    readCertificates(pem)
    return []
  } catch (error) {
    if (!isFailure(error)) throw error
    return [invalidValue(at, '<omitted>', error.message)]
  }
}

function checkClaimRules({ claimValidationRules: rules = [] }: JwtFields, at: string): FieldError[] {
  const errors = rules.flatMap(({ claim = '', requiredValue = '', expression = '', message = '' }, index) => {
    const field = `${at}[${index}]`
    if (claim !== '' && expression !== '') return [invalidValue(field, claim, "claim and expression can't both be set")]
    if (claim === '' && expression === '') return [required(field, 'claim or expression is required')]
    if (claim !== '')
      return message === '' ? [] : [invalidValue(`${field}.message`, message, 'may not be specified when claim is set')]
    const more = checkExpression(expression, `${field}.expression`, compileClaimsCondition)
    return requiredValue === ''
      ? more
      : [invalidValue(`${field}.requiredValue`, requiredValue, 'may not be specified when expression is set'), ...more]
  })
  return [
    ...errors,
    ...repeated(rules, 'claim', ({ claim }) => claim, at),
    ...repeated(rules, 'expression', ({ expression }) => expression, at),
  ]
}

function checkMappings({ claimMappings = {}, claimValidationRules: rules = [] }: JwtFields, at: string): FieldError[] {
  const { username = {}, groups = {}, uid = {}, extra = [] } = claimMappings
  const errors = [
    ...checkMapping(username, `${at}.username`, true),
    ...checkMapping(groups, `${at}.groups`, false),
    ...(uid.claim && uid.expression ? [invalidValue(`${at}.uid`, '', "claim and expression can't both be set")] : []),
    ...(uid.expression && !uid.claim ? checkExpression(uid.expression, `${at}.uid.expression`, compileClaims) : []),
    ...extra.flatMap((mapping, index) => checkExtra(mapping, `${at}.extra[${index}]`)),
    ...repeated(extra, 'key', ({ key }) => key, `${at}.extra`),
  ]
  const others = [username, ...rules].map(({ expression = '' }) => expression)
  const isVerified = [...others, ...extra.map(({ valueExpression = '' }) => valueExpression)].some(usesEmailVerified)
  if (usesEmail(username.expression ?? '') && !isVerified)
    errors.push(
      invalidValue(
        `${at}.username.expression`,
        username.expression,
        'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression',
      ),
    )
  return errors
}

function checkMapping(
  { claim = '', prefix, expression = '' }: MappingFields,
  at: string,
  isRequired: boolean,
): FieldError[] {
  if (claim !== '' && expression !== '') return [invalidValue(at, '', "claim and expression can't both be set")]
  if (claim === '' && expression === '') return isRequired ? [required(at, 'claim or expression is required')] : []
  if (claim !== '')
    return prefix === undefined
      ? [
          required(
            `${at}.prefix`,
            'prefix is required when claim is set. It can be set to an empty string to disable prefixing',
          ),
        ]
      : []
  const errors = checkExpression(expression, `${at}.expression`, compileClaims)
  return prefix === undefined
    ? errors
    : [invalidValue(`${at}.prefix`, prefix, 'may not be specified when expression is set'), ...errors]
}

const isReserved = /^([^/]+\.)?(kubernetes|k8s)\.io\//

function checkExtra(
  { key = '', valueExpression = '' }: { key?: string; valueExpression?: string },
  at: string,
): FieldError[] {
  const errors = checkDomainPrefixedPath(`${at}.key`, key)
  if (key !== key.toLowerCase()) errors.push(invalidValue(`${at}.key`, key, 'must be lowercase'))
  if (isReserved.test(key))
    errors.push(
      invalidValue(`${at}.key`, key, 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use'),
    )
  if (valueExpression === '') return [...errors, required(`${at}.valueExpression`)]
  return [...errors, ...checkExpression(valueExpression, `${at}.valueExpression`, compileClaims)]
}

function checkUserRules({ userValidationRules: rules = [] }: JwtFields, at: string): FieldError[] {
  const errors = rules.flatMap(({ expression = '' }, index) => {
    const field = `${at}[${index}].expression`
    return expression === '' ? [required(field)] : checkExpression(expression, field, compileUserCondition)
  })
  return [...errors, ...repeated(rules, 'expression', ({ expression }) => expression, at)]
}

function checkExpression(expression: string, at: string, compile: (expression: string) => unknown): FieldError[] {
  try {
    compile(expression)
    return []
  } catch (error) {
    return [invalidValue(at, expression, (error as Error).message)]
  }
}
