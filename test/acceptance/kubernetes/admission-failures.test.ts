/** What becomes of a write when a webhook cannot be asked, or answers nonsense. */
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { configMaps } from '../../../src/kube/kinds.ts'
import type { Hook } from '../../support/admission-hook.ts'
import {
  aConfigMapOf,
  admissionScene,
  denies,
  forCase,
  refusalOf,
  reviewed,
  webhookName,
} from '../../support/admission-hook.ts'
import { testAuthority } from '../../support/control-plane/identities.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { teardown } from '../../support/test-scope.ts'

const closedPort = 'https://127.0.0.1:1'

/** Takes connections and says nothing. */
async function silentServer(t: TestContext): Promise<string> {
  const server = createServer((socket) => teardown(t, () => void socket.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  teardown(t, () => void server.close())
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A response with these fields, whatever they are. */
const answering =
  (fields: object): Hook['decide'] =>
  ({ uid }) => ({
    whole: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true, ...fields } },
  })

const failed = (hook: string, why: string) => ({
  code: 500,
  reason: 'InternalError',
  message: `Internal error occurred: failed calling webhook "${webhookName(hook)}": ${why}`,
})

describe('a webhook that fails', needsControlPlane, () => {
  test('E17: times out after its seconds, and fails the write or not as its policy says', async (t) => {
    const { admin, namespace, caBundle, register } = await admissionScene(t)
    const url = await silentServer(t)
    const slow = (name: string, failurePolicy: string): Hook => ({
      name,
      ...forCase(name),
      failurePolicy,
      timeoutSeconds: 1,
      clientConfig: { url, caBundle },
    })
    const maps = admin.of(configMaps, namespace)
    for (const type of ['mutating', 'validating'] as const) {
      await register(type, [slow(`${type}-fail`, 'Fail'), slow(`${type}-ignore`, 'Ignore')])
      const startedAt = performance.now()
      assert.deepEqual(
        await refusalOf(maps.create(aConfigMapOf(`${type}-fail`))),
        failed(`${type}-fail`, `failed to call webhook: Post "${url}/?timeout=1s": context deadline exceeded`),
      )
      const tookMs = performance.now() - startedAt
      assert.ok(tookMs > 900, `it took ${tookMs} ms`)
      assert.ok(await maps.create(aConfigMapOf(`${type}-ignore`)))
    }
  })

  test('E17: cannot be reached', async (t) => {
    const { admin, namespace, caBundle, register } = await admissionScene(t)
    const dead = (name: string, failurePolicy: string): Hook => ({
      name,
      ...forCase(name),
      failurePolicy,
      clientConfig: { url: `${closedPort}/x`, caBundle },
    })
    await register('mutating', [dead('fail', 'Fail'), dead('ignore', 'Ignore')])
    const maps = admin.of(configMaps, namespace)
    assert.deepEqual(
      await refusalOf(maps.create(aConfigMapOf('fail'))),
      failed(
        'fail',
        `failed to call webhook: Post "${closedPort}/x?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused`,
      ),
    )
    assert.ok(await maps.create(aConfigMapOf('ignore')))
  })

  test('E17: names a service that is not there', async (t) => {
    const { admin, namespace, caBundle, register } = await admissionScene(t)
    const service = { namespace, name: 'gone', path: '/admit' }
    await register('mutating', [{ name: 'service', ...forCase('service'), clientConfig: { service, caBundle } }])
    assert.deepEqual(
      await refusalOf(admin.of(configMaps, namespace).create(aConfigMapOf('service'))),
      failed(
        'service',
        `failed to call webhook: Post "https://gone.${namespace}.svc:443/admit?timeout=10s": service "gone" not found`,
      ),
    )
  })

  test('E17: shows a certificate that its caBundle does not vouch for', async (t) => {
    const { admin, namespace, calls, register } = await admissionScene(t)
    const { certPem } = await testAuthority('another-ca')
    const stranger = Buffer.from(certPem).toString('base64')
    const name = await register('mutating', [{ name: 'good' }])
    const { webhooks } = await admin.request<{ webhooks: { clientConfig: { url: string } }[] }>({
      path: `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${name}`,
    })
    const url = `${webhooks[1]?.clientConfig.url}`
    await register('mutating', [
      { name: 'stranger', ...forCase('stranger'), clientConfig: { url, caBundle: stranger } },
      { name: 'unknown', ...forCase('unknown'), clientConfig: { url } },
    ])
    calls.length = 0
    for (const hook of ['stranger', 'unknown']) {
      const { code, message } = await refusalOf(admin.of(configMaps, namespace).create(aConfigMapOf(hook)))
      const expected = failed(
        hook,
        `failed to call webhook: Post "${url}?timeout=10s": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
      )
      assert.equal(code, expected.code)
      assert.ok(message.startsWith(expected.message), message)
    }
  })

  const nonsense: [name: string, decide: Hook['decide'], why: string | RegExp][] = [
    ['absent', () => undefined, 'failed to call webhook: the server could not find the requested resource'],
    [
      'no-response',
      () => ({ whole: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' } }),
      'received invalid webhook response: webhook response was absent',
    ],
    [
      'other-uid',
      () => ({ whole: reviewed({ uid: 'other' }, {}) }),
      /^received invalid webhook response: expected response.uid="[-0-9a-f]{36}", got "other"$/,
    ],
    [
      'other-kind',
      (request) => ({ whole: { ...reviewed(request, {}), kind: 'Pod' } }),
      'failed to call webhook: no kind "Pod" is registered for version "admission.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      'other-version',
      (request) => ({ whole: { ...reviewed(request, {}), apiVersion: 'admission.k8s.io/v1beta1' } }),
      'failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion',
    ],
    [
      'no-kind',
      (request) => ({ whole: { ...reviewed(request, {}), kind: undefined, apiVersion: undefined } }),
      'received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=',
    ],
    [
      'a-list',
      () => ({ whole: [] }),
      /^failed to call webhook: couldn't get version\/kind; json parse error: json: cannot unmarshal array into Go value/,
    ],
    [
      'patch-without-type',
      answering({ patch: 'W10=' }),
      'received invalid webhook response: webhook returned response.patch but not response.patchType',
    ],
    [
      'type-without-patch',
      answering({ patchType: 'JSONPatch' }),
      'received invalid webhook response: webhook returned response.patchType but not response.patch',
    ],
  ]

  test('E17: answers nonsense', async (t) => {
    const { admin, namespace, register } = await admissionScene(t)
    const hooks = nonsense.flatMap(([name, decide]): Hook[] => {
      const shared: Hook = { name, ...(decide && { decide }) }
      return [
        { ...shared, ...forCase(name) },
        { ...shared, name: `${name}-ignored`, ...forCase(`${name}-ignored`), failurePolicy: 'Ignore' },
      ]
    })
    await register('mutating', hooks)
    const maps = admin.of(configMaps, namespace)
    for (const [name, , why] of nonsense) {
      const { code, reason, message } = await refusalOf(maps.create(aConfigMapOf(name)))
      assert.deepEqual([name, code, reason], [name, 500, 'InternalError'])
      const start = failed(name, '').message
      assert.ok(message.startsWith(start), message)
      const told = message.slice(start.length)
      if (typeof why === 'string') assert.equal(told, why)
      else assert.match(told, why)
      assert.ok(await maps.create(aConfigMapOf(`${name}-ignored`)), name)
    }
  })

  test('E17: may not change anything where it is to validate', async (t) => {
    const { admin, namespace, register } = await admissionScene(t)
    await register('validating', [{ name: 'eager', decide: () => ({ patch: [] }) }])
    assert.deepEqual(
      await refusalOf(admin.of(configMaps, namespace).create(aConfigMapOf('x'))),
      failed('eager', 'received invalid webhook response: validating webhook may not return response.patch'),
    )
  })

  test('E17: is no failure when it refuses: the policy Ignore does not let it pass', async (t) => {
    const { admin, namespace, register } = await admissionScene(t)
    const maps = admin.of(configMaps, namespace)
    for (const type of ['mutating', 'validating'] as const) {
      await register(type, [{ name: type, ...forCase(type), failurePolicy: 'Ignore', decide: () => denies('no') }])
      const { code, message } = await refusalOf(maps.create(aConfigMapOf(type)))
      assert.deepEqual([code, message], [400, `admission webhook "${webhookName(type)}" denied the request: no`])
    }
  })
})
