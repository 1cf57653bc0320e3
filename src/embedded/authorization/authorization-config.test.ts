import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { stringify } from 'yaml'
import { isFailure } from '../../core/failure.ts'
import { parseAuthorizationConfig } from './authorization-config.ts'

const webhook = {
  timeout: '3s',
  authorizedTTL: '10s',
  unauthorizedTTL: '1m30s',
  subjectAccessReviewVersion: 'v1',
  matchConditionSubjectAccessReviewVersion: 'v1',
  failurePolicy: 'Deny',
  connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: '/hook' },
}
const rbac = { type: 'RBAC', name: 'rbac' }
const hook = (more: object = {}, name = 'hook') => ({ type: 'Webhook', name, webhook: { ...webhook, ...more } })

const config = (...authorizers: object[]) =>
  stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthorizationConfiguration', authorizers })
const parse = (text: string) =>
  parseAuthorizationConfig(text, 'authz.yaml', (path) =>
    path === '/dir' ? 'other' : path === '/hook' ? 'file' : 'missing',
  )

/** What is held against it, without the sentence around it. */
function flaws(text: string): string {
  try {
    parse(text)
  } catch (error) {
    assert.ok(isFailure(error))
    return String(error.params['detail'] ?? error.message)
  }
  return 'nothing'
}

describe('an AuthorizationConfiguration', () => {
  test('is a chain in its order', () => {
    const matchConditions = [{ expression: 'request.user == "jane"' }]
    assert.deepEqual(
      parse(config(hook({ matchConditions, cacheAuthorizedRequests: false }), { type: 'Node', name: 'node' }, rbac)),
      [
        {
          type: 'Webhook',
          webhook: {
            name: 'hook',
            kubeConfigFile: '/hook',
            timeoutMs: 3_000,
            timeout: '3s',
            failurePolicy: 'Deny',
            authorizedTtlMs: 10_000,
            unauthorizedTtlMs: 90_000,
            cacheAuthorized: false,
            cacheUnauthorized: true,
            matchConditions: ['request.user == "jane"'],
          },
        },
        { type: 'Node' },
        { type: 'RBAC' },
      ],
    )
  })

  test('remembers for five minutes and for thirty seconds unless it says otherwise', () => {
    const [one] = parse(config(hook({ authorizedTTL: undefined, unauthorizedTTL: '0s' })))
    assert.ok(one?.type === 'Webhook')
    assert.deepEqual([one.webhook.authorizedTtlMs, one.webhook.unauthorizedTtlMs], [300_000, 30_000])
  })

  test('is refused with all that is wrong with it, in the words of Kubernetes', () => {
    const names = [
      { type: 'RBAC' },
      rbac,
      { type: 'Foo', name: 'foo' },
      { name: 'x' },
      { type: 'Node', name: 'n', webhook: {} },
    ]
    assert.equal(
      flaws(config(...names, { type: 'Webhook', name: 'w' }, { type: 'Webhook', name: 'w', webhook: {} })),
      `[${[
        'authorizers[0].name: Required value',
        'authorizers[1].type: Duplicate value: "RBAC"',
        'authorizers[2].type: Unsupported value: "Foo": supported values: "ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"',
        'authorizers[3].type: Required value',
        'authorizers[4].webhook: Invalid value: "non-null": may only be specified when type=Webhook',
        'authorizers[5].webhook: Required value: required when type=Webhook',
        'authorizers[6].name: Duplicate value: "w"',
        'authorizers[6].timeout: Required value',
        'authorizers[6].subjectAccessReviewVersion: Required value',
        'authorizers[6].failurePolicy: Required value',
        'authorizers[6].connectionInfo.type: Required value',
      ].join(', ')}]`,
    )
    const bad = {
      timeout: '31s',
      authorizedTTL: '-1s',
      unauthorizedTTL: 'soon',
      subjectAccessReviewVersion: 'v2',
      matchConditionSubjectAccessReviewVersion: 'v1beta1',
      failurePolicy: 'Fail',
      connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: 'relative' },
    }
    assert.equal(
      flaws(config(hook(bad))),
      `[${[
        'authorizers[0].timeout: Invalid value: "31s": must be > 0s and <= 30s',
        'authorizers[0].authorizedTTL: Invalid value: "-1s": must be > 0s',
        'authorizers[0].unauthorizedTTL: Invalid value: "soon": must be > 0s',
        'authorizers[0].subjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1", "v1beta1"',
        'authorizers[0].matchConditionSubjectAccessReviewVersion: Unsupported value: "v1beta1": supported values: "v1"',
        'authorizers[0].failurePolicy: Unsupported value: "Fail": supported values: "NoOpinion", "Deny"',
        'authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "relative": must be an absolute path',
      ].join(', ')}]`,
    )
    assert.equal(flaws(config()), 'authorizers: Required value: at least one authorization mode must be defined')
  })

  test('is refused for names that cannot be, or are not those of the built-in authorizers', () => {
    assert.match(
      flaws(config(hook({}, 'NOT ok'))),
      /^authorizers\[0\].name: Invalid value: "NOT ok": authorizer name is invalid: a lowercase RFC 1123 subdomain must/,
    )
    assert.equal(
      flaws(config({ type: 'RBAC', name: 'foo' }, { type: 'Node', name: 'bar' })),
      '[expected name rbac for authorizer RBAC instead of foo, expected name node for authorizer Node instead of bar]',
    )
  })

  test('is refused when a kubeconfig is not a file', () => {
    const from = (kubeConfigFile: string) =>
      flaws(config(hook({ connectionInfo: { type: 'KubeConfigFile', kubeConfigFile } })))
    const at = 'authorizers[0].connectionInfo.kubeConfigFile: Invalid value'
    assert.equal(from('/dir'), `${at}: "/dir": must be a regular file`)
    assert.equal(from('/gone'), `${at}: "/gone": error loading file: stat /gone: no such file or directory`)
  })

  test('is refused when a condition cannot be understood', () => {
    const matchConditions = [
      { expression: '' },
      { expression: 'request.foo == "x"' },
      { expression: '"x"' },
      { expression: 'true' },
      { expression: 'true' },
    ]
    const at = 'authorizers[0].matchConditions'
    assert.equal(
      flaws(config(hook({ matchConditions }))),
      `[${[
        `${at}[0].expression: Required value`,
        `${at}[1].expression: Invalid value: "request.foo == \\"x\\"": compilation failed: ERROR: <input>:1:8: undefined field 'foo'\n | request.foo == "x"\n | .......^`,
        `${at}[2].expression: Invalid value: "\\"x\\"": must evaluate to bool but got string`,
        `${at}[4].expression: Duplicate value: "true"`,
      ].join(', ')}]`,
    )
    assert.equal(
      flaws(config(hook({ matchConditions: [{ expression: 'true' }], matchConditionSubjectAccessReviewVersion: '' }))),
      'authorizers[0].matchConditionSubjectAccessReviewVersion: Required value: required if match conditions are specified',
    )
  })

  test('is refused for fields that there are not, and for what is no such thing', () => {
    assert.equal(
      flaws(config({ ...rbac, foo: 1 }, hook({ matchConditions: [{ expresion: 'true' }] }))),
      'strict decoding error: unknown field "authorizers[0].foo", unknown field "authorizers[1].webhook.matchConditions[0].expresion"',
    )
    assert.match(flaws('{{'), /./)
    assert.match(flaws('apiVersion: v1\nkind: Pod'), /^no kind "Pod" is registered for version "v1"$/)
    assert.equal(flaws('[]'), 'it is not a map')
  })

  test('that asks for what is not served says so, and what to use', () => {
    assert.equal(
      flaws(config({ type: 'AlwaysAllow', name: 'alwaysallow' })),
      'authorizers[0].type in authz.yaml asks for AlwaysAllow, which this control plane does not serve; use RBAC, Node or Webhook',
    )
    assert.match(flaws(config(hook({ subjectAccessReviewVersion: 'v1beta1' }))), /asks for v1beta1.*use v1$/)
    assert.match(flaws(config(hook({ connectionInfo: { type: 'InClusterConfig' } }))), /use KubeConfigFile$/)
  })
})
