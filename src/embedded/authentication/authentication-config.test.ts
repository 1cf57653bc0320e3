import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { stringify } from 'yaml'
import { isFailure } from '../../core/failure.ts'
import { parseAuthenticationConfig } from './authentication-config.ts'
import { jwtOfOptions } from './oidc-options.ts'

const reserved = ['https://kubernetes.default.svc']

const load = (document: object, apiVersion = 'apiserver.config.k8s.io/v1') =>
  parseAuthenticationConfig(
    stringify({ apiVersion, kind: 'AuthenticationConfiguration', ...document }),
    'auth.yaml',
    reserved,
  )

const issuer = { url: 'https://idp.example.com', audiences: ['kube'] }
const username = { claim: 'sub', prefix: '' }
const jwt = (change: object = {}) => ({ issuer, claimMappings: { username }, ...change })

function mistake(document: object): string {
  try {
    load(document)
  } catch (error) {
    if (isFailure(error, 'AUTHENTICATION_CONFIG_INVALID'))
      return error.message.replace('the authentication configuration auth.yaml cannot be used: ', '')
    throw error
  }
  return 'none'
}

describe('an authentication configuration', () => {
  test('is taken in both versions, and needs no provider', () => {
    assert.deepEqual(load({}).jwt, [])
    assert.deepEqual(load({ jwt: [jwt()] }, 'apiserver.config.k8s.io/v1beta1').jwt, [jwt()])
    assert.match(
      mistake({ apiVersion: 'apiserver.config.k8s.io/v2' }),
      /^no kind "AuthenticationConfiguration" is regis/,
    )
  })

  test('leaves anonymous on unless it says otherwise', () => {
    assert.deepEqual(load({}).anonymous, { enabled: true })
    assert.deepEqual(load({ anonymous: { enabled: false } }).anonymous, { enabled: false, paths: undefined })
    assert.deepEqual(load({ anonymous: { enabled: true, conditions: [{ path: '/livez' }] } }).anonymous, {
      enabled: true,
      paths: ['/livez'],
    })
  })

  const rule = (...claimValidationRules: object[]) => ({ jwt: [jwt({ claimValidationRules })] })
  const mapping = (claimMappings: object) => ({ jwt: [jwt({ claimMappings: { username, ...claimMappings } })] })
  const provider = (change: object) => ({ jwt: [jwt({ issuer: { ...issuer, ...change } })] })

  for (const [what, document, expected] of [
    ['an unknown field', { jwt: [jwt({ claimMapings: {} })] }, /jwt\[0\]\.claimMapings/],
    ['a list that is none', { jwt: [jwt({ userValidationRules: 'x' })] }, /jwt\[0\]\.userValidationRules/],
    ['a provider without address', provider({ url: '' }), /^jwt\[0\]\.issuer\.url: Required value/],
    ['a provider on http', provider({ url: 'http://idp' }), /URL scheme must be https/],
    ['a provider with a query', provider({ url: 'https://idp?a=b' }), /URL must not contain a query/],
    ['a provider that is taken', provider({ url: reserved[0] }), /URL must not overlap with disallowed issuers/],
    ['discovery at the same place', provider({ discoveryURL: `${issuer.url}/` }), /must be different from URL/],
    ['no audience', provider({ audiences: [] }), /audiences: Required value: at least one jwt\[0\]/],
    ['several audiences without a policy', provider({ audiences: ['a', 'b'] }), /must be MatchAny for multiple/],
    ['an audience twice', provider({ audiences: ['a', 'a'], audienceMatchPolicy: 'MatchAny' }), /Duplicate value: "a"/],
    [
      'an authority that is none',
      provider({ certificateAuthority: 'x' }),
      /certificateAuthority: Invalid value: "<omitted>"/,
    ],
    ['a provider twice', { jwt: [jwt(), jwt()] }, /^jwt\[1\]\.issuer\.url: Duplicate value/],
    ['no user', { jwt: [{ issuer }] }, /username: Required value: claim or expression is required/],
    ['a claim without prefix', mapping({ username: { claim: 'sub' } }), /username\.prefix: Required value/],
    ['a claim and an expression', mapping({ groups: { claim: 'g', expression: 'claims.g' } }), /can't both be set/],
    [
      'a prefix for an expression',
      mapping({ groups: { prefix: '', expression: 'claims.g' } }),
      /may not be specified when/,
    ],
    ['a broken expression', mapping({ uid: { expression: 'claims.' } }), /uid\.expression: Invalid value: "claims\."/],
    ['an unknown variable', mapping({ uid: { expression: 'user.uid' } }), /uid\.expression: Invalid value/],
    [
      'a key without domain',
      mapping({ extra: [{ key: 'x', valueExpression: '"a"' }] }),
      /must be a domain-prefixed path/,
    ],
    [
      'a reserved key',
      mapping({ extra: [{ key: 'a.k8s.io/x', valueExpression: '"a"' }] }),
      /are reserved for Kubernetes/,
    ],
    ['an upper-case key', mapping({ extra: [{ key: 'a.io/X', valueExpression: '"a"' }] }), /must be lowercase/],
    [
      'an unverified email',
      mapping({ username: { expression: 'claims.email' } }),
      /claims\.email_verified must be used in/,
    ],
    ['an empty rule', rule({}), /claimValidationRules\[0\]: Required value: claim or expression is required/],
    ['a rule twice', rule({ claim: 'a' }, { claim: 'a' }), /claimValidationRules\[1\]\.claim: Duplicate value: "a"/],
    ['a message for a claim', rule({ claim: 'a', message: 'm' }), /may not be specified when claim is set/],
    ['a rule that is no condition', rule({ expression: '"a"' }), /must evaluate to bool/],
    [
      'a rule about a field of users that is none',
      { jwt: [jwt({ userValidationRules: [{ expression: 'user.nam == "a"' }] })] },
      /userValidationRules\[0\]\.expression: Invalid value/,
    ],
    ['conditions for nobody', { anonymous: { conditions: [{ path: '/' }] } }, /enabled should be set to true when/],
  ] as [string, object, RegExp][])
    test(`with ${what} is refused`, () => assert.match(mistake(document), expected))

  test('may use the email where something looks at whether it is verified', () => {
    const expression = 'claims.email'
    load({
      jwt: [
        jwt({
          claimMappings: { username: { expression } },
          claimValidationRules: [{ expression: 'claims.email_verified == true' }],
        }),
      ],
    })
  })

  test('tells everything that is wrong at once', () => {
    assert.match(mistake({ jwt: [{ issuer: { url: 'http://idp' } }] }), /^\[.*https.*, .*audiences.*, .*username.*\]$/)
  })

  test('that is no YAML is refused', () => {
    assert.throws(() => parseAuthenticationConfig('a: [', 'auth.yaml', []), { code: 'AUTHENTICATION_CONFIG_INVALID' })
    assert.throws(() => parseAuthenticationConfig('[]', 'auth.yaml', []), { code: 'AUTHENTICATION_CONFIG_INVALID' })
  })
})

describe('options for an OpenID provider', () => {
  const options = { issuerUrl: 'https://idp.example.com', clientId: 'kube' }
  const prefixOf = (more: object) => jwtOfOptions({ ...options, ...more }, []).claimMappings?.username

  test('name users after the provider, but not by email', () => {
    assert.deepEqual(prefixOf({}), { claim: 'sub', prefix: 'https://idp.example.com#' })
    assert.deepEqual(prefixOf({ usernameClaim: 'email' }), { claim: 'email', prefix: '' })
    assert.deepEqual(prefixOf({ usernamePrefix: '-' }), { claim: 'sub', prefix: '' })
    assert.deepEqual(prefixOf({ usernamePrefix: 'idp:' }), { claim: 'sub', prefix: 'idp:' })
  })

  test('that cannot work are refused', () => {
    assert.throws(() => jwtOfOptions({ ...options, issuerUrl: 'http://idp' }, []), {
      code: 'AUTHENTICATION_OIDC_INVALID',
    })
  })
})
