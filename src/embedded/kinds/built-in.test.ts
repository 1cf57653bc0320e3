import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anObject, writeContext } from '../../../test/support/kind-rules.ts'
import { apiVersionOf } from '../objects.ts'
import { builtInKinds, reviews } from './built-in.ts'
import { factsOf } from './facts/facts.ts'
import { Registry } from './registry.ts'

const answers = Object.fromEntries(reviews.map(([group, plural]) => [`${plural}.${group}`, async () => anObject()]))
const kinds = () => builtInKinds({ answers, token: async (submitted) => submitted, crdRules: {} })

test('every kind of the contract is there, under its path', () => {
  const registry = new Registry()
  for (const kind of kinds()) registry.set(kind)
  const paths = {
    v1: 'namespaces secrets configmaps serviceaccounts events nodes pods services endpoints',
    'apps/v1': 'deployments daemonsets replicasets',
    'rbac.authorization.k8s.io/v1': 'roles rolebindings clusterroles clusterrolebindings',
    'certificates.k8s.io/v1': 'certificatesigningrequests',
    'coordination.k8s.io/v1': 'leases',
    'events.k8s.io/v1': 'events',
    'admissionregistration.k8s.io/v1': 'validatingwebhookconfigurations mutatingwebhookconfigurations',
    'apiextensions.k8s.io/v1': 'customresourcedefinitions',
    'authentication.k8s.io/v1': 'tokenreviews selfsubjectreviews',
    'authorization.k8s.io/v1':
      'subjectaccessreviews selfsubjectaccessreviews localsubjectaccessreviews selfsubjectrulesreviews',
  }
  const wanted = Object.entries(paths).flatMap(([apiVersion, plurals]) =>
    plurals.split(' ').map((plural) => `${apiVersion}/${plural}`),
  )
  for (const path of wanted) {
    const [plural = '', version = '', group = ''] = path.split('/').reverse()
    assert.ok(registry.find(group, version, plural), path)
  }
  assert.equal(registry.all().length, wanted.length)
})

test('a kind has the subresources that the real one serves, and no others', () => {
  // What needs a kubelet or a scheduler is not served.
  const left = new Set([
    'attach',
    'binding',
    'ephemeralcontainers',
    'eviction',
    'exec',
    'log',
    'portforward',
    'proxy',
    'resize',
  ])
  for (const { group, plural, subresources } of kinds()) {
    const real = factsOf(group, plural).subresources.map(({ name }) => name)
    assert.deepEqual(Object.keys(subresources).toSorted(), real.filter((name) => !left.has(name)).toSorted(), plural)
  }
})

test('every column has a cell that takes an object without anything in it', () => {
  for (const { group, plural, versions, rules, kind } of kinds()) {
    const object = { ...anObject(), apiVersion: apiVersionOf(group, versions[0]?.name ?? ''), kind }
    if (plural.endsWith('bindings') || plural === 'events') rules.defaults?.(object)
    if (plural === 'certificatesigningrequests') Object.assign(object, { spec: {} })
    for (const { columns } of versions)
      for (const { name, cell } of columns)
        assert.notEqual(cell(object, writeContext.now), undefined, `${plural} ${name}`)
  }
})

test('the two kinds of events are one store', () => {
  const [one, other] = kinds().filter(({ plural }) => plural === 'events')
  assert.deepEqual([one?.storage, other?.storage], ['events', 'events'])
  assert.deepEqual(one?.storedAs, other?.storedAs)
})

test('a review that nobody answers is a mistake of who builds it', () => {
  assert.throws(
    () => builtInKinds({ answers: {}, token: async (submitted) => submitted, crdRules: {} }),
    /nobody answers/,
  )
})
