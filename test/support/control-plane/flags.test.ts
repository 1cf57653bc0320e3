import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ControlPlaneOptions } from './contract.ts'
import { apiserverFlags, controllerManagerFlags, etcdFlags, toArguments } from './flags.ts'
import { pathsIn } from './paths.ts'

const paths = pathsIn('/plane')
const apiserver = (options: ControlPlaneOptions) => apiserverFlags(paths, 1234, options)
const controllerManager = (options: ControlPlaneOptions) => controllerManagerFlags(paths, 1235, options)

test('a flag without a value is left out and a later one wins', () => {
  assert.deepEqual(toArguments({ a: 1, b: undefined, c: true }, { a: 'x' }), ['--a=x', '--c=true'])
})

test('RBAC decides unless an authorization configuration is given', () => {
  assert.equal(apiserver({})['authorization-mode'], 'Node,RBAC')
  const configured = apiserver({ authorizationConfig: 'kind: AuthorizationConfiguration' })
  assert.equal(configured['authorization-mode'], undefined)
  assert.equal(configured['authorization-config'], '/plane/authorization.yaml')
})

test('each given file has its flag and each file not given has none', () => {
  const given = toArguments(
    apiserver({
      authenticationConfig: 'a',
      tokenWebhookConfig: 'b',
      auditPolicy: 'c',
      oidc: { issuerUrl: 'https://idp', clientId: 'kube', caPem: 'd' },
    }),
  )
  const expected = [
    '--authentication-config=/plane/authentication.yaml',
    '--authentication-token-webhook-config-file=/plane/token-webhook.kubeconfig',
    '--audit-policy-file=/plane/audit-policy.yaml',
    '--audit-log-path=/plane/audit.log',
    '--oidc-issuer-url=https://idp',
    '--oidc-client-id=kube',
    '--oidc-ca-file=/plane/oidc-ca.crt',
  ]
  for (const argument of expected) assert.ok(given.includes(argument), argument)
  const names = toArguments(apiserver({})).join(' ')
  assert.doesNotMatch(names, /oidc|audit|webhook|authentication-config|undefined/)
})

test('bootstrap tokens always work', () => {
  assert.equal(apiserver({})['enable-bootstrap-token-auth'], true)
})

test('by default every controller runs, those of bootstrap tokens among them; named ones run alone', () => {
  assert.equal(controllerManager({}).controllers, '*,bootstrap-signer-controller,token-cleaner-controller')
  const named = controllerManager({ controllers: ['namespace-controller', 'garbage-collector-controller'] })
  assert.equal(named.controllers, 'namespace-controller,garbage-collector-controller')
})

test('feature gates go to both servers', () => {
  const options = { featureGates: { One: true, Two: false } }
  assert.equal(apiserver(options)['feature-gates'], 'One=true,Two=false')
  assert.equal(controllerManager(options)['feature-gates'], 'One=true,Two=false')
})

test('only loopback is served', () => {
  assert.equal(apiserver({})['bind-address'], '127.0.0.1')
  assert.equal(controllerManager({})['bind-address'], '127.0.0.1')
  for (const [name, value] of Object.entries(etcdFlags(paths))) {
    if (name.includes('urls')) assert.match(String(value), /^unix:/)
  }
})
