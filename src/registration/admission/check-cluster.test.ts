import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import type { Requester } from '../../fleet/access-review.ts'
import type { AdmissionRequest } from '../../fleet/admission.ts'
import { labels } from '../../fleet/names.ts'
import { changesAcceptance, checkCluster, isBeingAccepted, joinRights } from './check-cluster.ts'

const request = (object: ManagedCluster, oldObject?: ManagedCluster): AdmissionRequest<ManagedCluster> => ({
  uid: 'u',
  kind: { group: '', version: '', kind: '' },
  resource: { group: '', version: '', resource: '' },
  operation: oldObject ? 'UPDATE' : 'CREATE',
  userInfo: { username: 'jane' },
  object,
  oldObject: oldObject ?? null,
})

const aCluster = (spec: ManagedCluster['spec'] = {}, name = 'west'): ManagedCluster => ({ metadata: { name }, spec })
const inSet = (set?: string): ManagedCluster => ({
  metadata: { name: 'west', ...(set !== undefined && { labels: { [labels.clusterSet]: set } }) },
})
const withUrls = (...urls: string[]) => aCluster({ managedClusterClientConfigs: urls.map((url) => ({ url })) })
const mistakeOf = (object: ManagedCluster, old?: ManagedCluster) => {
  const verdict = checkCluster(request(object, old))
  return verdict.allowed ? undefined : verdict.message
}

test('names are DNS labels, looked at when a cluster is new', () => {
  for (const name of ['a', 'a-1', '1a', 'a'.repeat(63)]) assert.equal(mistakeOf(aCluster({}, name)), undefined)
  for (const name of ['', 'a.b', 'A', '-a', 'a-', 'a_b', 'ä', 'a\n', 'a'.repeat(64)]) {
    assert.match(mistakeOf(aCluster({}, name)) ?? '', /^metadata\.name /, name)
    assert.equal(mistakeOf(aCluster({}, name), aCluster({}, name)), undefined)
  }
})

test('addresses are https, and an old one may stay as it was', () => {
  assert.equal(mistakeOf(withUrls('https://a', 'HTTPS://b:6443/path', 'https://[::1]:6443')), undefined)
  for (const url of [
    'http://a',
    'https:a',
    'https://',
    'https:///a',
    'a:6443',
    '',
    'ftp://a',
    ' https://a',
    'https://a b',
  ])
    assert.match(mistakeOf(withUrls('https://a', url)) ?? '', /^spec\.managedClusterClientConfigs\[1\]\.url /, url)
  assert.equal(mistakeOf(withUrls('http://a'), withUrls('http://a')), undefined)
  assert.match(mistakeOf(withUrls('http://a', 'http://b'), withUrls('http://a')) ?? '', /\[1\]/)
})

test('a negative lease duration is a mistake', () => {
  assert.match(mistakeOf(aCluster({ leaseDurationSeconds: -1 })) ?? '', /^spec\.leaseDurationSeconds /)
  const old = aCluster({ leaseDurationSeconds: -1 })
  assert.equal(mistakeOf(old, old), undefined)
})

test('only the step to true is an acceptance', () => {
  const [open, shut, none] = [aCluster({ hubAcceptsClient: true }), aCluster({ hubAcceptsClient: false }), aCluster()]
  assert.deepEqual(
    [
      [open, undefined],
      [open, shut],
      [open, none],
      [open, open],
      [shut, open],
      [none, undefined],
    ].map(([object, old]) => isBeingAccepted(request(object as ManagedCluster, old))),
    [true, true, true, false, false, false],
  )
})

test('an acceptance is taken back with the right to accept, unless by an agent of that very cluster', () => {
  const [open, shut, none] = [aCluster({ hubAcceptsClient: true }), aCluster({ hubAcceptsClient: false }), aCluster()]
  const asksForRight = (requester: Requester, object: ManagedCluster, old?: ManagedCluster) =>
    changesAcceptance({ ...request(object, old), userInfo: requester })
  const own = { username: 'system:open-cluster-management:west:a1' }
  const ofAws = { username: 'arn', groups: ['open-cluster-management:west'] }
  const near = { username: 'system:open-cluster-management:west1:a1', groups: ['open-cluster-management:west1'] }
  for (const object of [shut, none]) {
    for (const requester of [{ username: 'plain' }, near, {}]) assert.equal(asksForRight(requester, object, open), true)
    for (const requester of [own, ofAws]) assert.equal(asksForRight(requester, object, open), false)
  }
  for (const requester of [own, near]) {
    assert.equal(asksForRight(requester, open, shut), true, 'nobody lets a cluster in without the right')
    assert.equal(asksForRight(requester, shut, none), false)
    assert.equal(asksForRight(requester, open, open), false)
  }
})

test('a move takes the rights to both sets; default is free for what was in none', () => {
  const setsOf = (object: ManagedCluster, old?: ManagedCluster) =>
    joinRights(request(object, old)).map(({ name, subresource, verb }) => `${verb} ${subresource} ${name}`)
  assert.deepEqual(setsOf(inSet('default')), [])
  assert.deepEqual(setsOf(inSet('red')), ['create join red'])
  assert.deepEqual(setsOf(inSet('default'), inSet()), [])
  assert.deepEqual(setsOf(inSet('default'), inSet('')), [])
  assert.deepEqual(setsOf(inSet('red'), inSet()), ['create join red'])
  assert.deepEqual(setsOf(inSet('red'), inSet('red')), [])
  assert.deepEqual(setsOf(inSet('red'), inSet('default')), ['create join default', 'create join red'])
  assert.deepEqual(setsOf(inSet('default'), inSet('red')), ['create join red', 'create join default'])
})

test('a person whose group is called as one on EKS may change what agents may not; an agent of the cluster may not', () => {
  const labelled: ManagedCluster = { ...aCluster(), metadata: { name: 'west', labels: { a: '1' } } }
  const verdictOn = (username: string, group: string) =>
    checkCluster({ ...request(labelled, aCluster()), userInfo: { username, groups: [group] } }).allowed
  assert.equal(verdictOn('alice@corp', 'open-cluster-management:admins'), true)
  assert.equal(verdictOn('alice@corp', 'open-cluster-management:west'), false)
  assert.equal(verdictOn('open-cluster-management:east', 'open-cluster-management:east'), false)
})
