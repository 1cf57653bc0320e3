import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiFailure } from '../../status.ts'
import { settleIdentity } from './identity.ts'

const configMap = { apiVersion: 'v1', kind: 'ConfigMap', custom: false }
const probe = { apiVersion: 'a.test/v1', kind: 'Probe', custom: true }
const known = new Set(['v1/ConfigMap', 'v1/Secret', 'apps/v1/Deployment', 'v1/Event', 'events.k8s.io/v1/Event'])
const isKnown = (apiVersion: string, kind: string) => known.has(`${apiVersion}/${kind}`)

function settle(sent: Record<string, unknown>, expected = configMap): string | Record<string, unknown> {
  try {
    settleIdentity(sent, expected, isKnown, Buffer.from(JSON.stringify(sent)))
    return sent
  } catch (error) {
    if (error instanceof ApiFailure) return `${error.code} ${error.message}`
    throw error
  }
}

test('a built-in kind fills in what is not said', () => {
  for (const sent of [{}, { kind: 'ConfigMap' }, { apiVersion: 'v1' }, { kind: null, apiVersion: '' }])
    assert.deepEqual(settle(sent), { apiVersion: 'v1', kind: 'ConfigMap' })
})

test('another kind or version is refused as the real server does', () => {
  const scheme = 'in scheme "pkg/runtime/scheme.go:111"'
  assert.equal(
    settle({ kind: 'Foo' }),
    `400 Foo in version "v1" cannot be handled as a ConfigMap: no kind "Foo" is registered for version "v1" ${scheme}`,
  )
  assert.equal(
    settle({ apiVersion: 'apps/v1' }),
    `400 ConfigMap in version "v1" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "apps/v1" ${scheme}`,
  )
  assert.equal(
    settle({ apiVersion: 'apps/v1', kind: 'Deployment' }),
    '400 Deployment in version "v1" cannot be handled as a ConfigMap: converting (v1.Deployment) to (core.ConfigMap): unknown conversion',
  )
  assert.equal(
    settle({ apiVersion: 'events.k8s.io/v1', kind: 'Event' }, { apiVersion: 'v1', kind: 'Event', custom: false }),
    '400 the API version in the data (events.k8s.io/v1) does not match the expected API version (v1)',
  )
  assert.equal(
    settle({ apiVersion: 'a/b/c', kind: 'Foo' }),
    '400 the object provided is unrecognized (must be of type ConfigMap): unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","kind":" ...)',
  )
})

test('a custom kind has to say what it is', () => {
  assert.equal(
    settle({ a: 1 }, probe),
    `400 the object provided is unrecognized (must be of type Probe): Object 'Kind' is missing in '{"a":1}' ({"a":1})`,
  )
  assert.equal(
    settle({ kind: 'Probe' }, probe),
    '400 the API version in the data () does not match the expected API version (a.test/v1)',
  )
  assert.equal(
    settle({ kind: 'Other', apiVersion: 'a.test/v1', metadata: { name: 'x' } }, probe),
    '422 Other.a.test "x" is invalid: kind: Invalid value: "Other": must be Probe',
  )
})
