import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resource } from '../objects.ts'
import { checkedPath, collectionPath, queryString, segment, targetName } from './path.ts'

const secrets = resource('v1', 'Secret', 'secrets')
const leases = resource('coordination.k8s.io/v1', 'Lease', 'leases')

test('collections are found under their group, with or without a namespace', () => {
  assert.equal(collectionPath(secrets, undefined), '/api/v1/secrets')
  assert.equal(collectionPath(secrets, 'kube-system'), '/api/v1/namespaces/kube-system/secrets')
  assert.equal(collectionPath(leases, 'a'), '/apis/coordination.k8s.io/v1/namespaces/a/leases')
})

test('targets name the kind as kubectl would', () => {
  assert.equal(targetName(secrets), 'secrets')
  assert.equal(targetName(leases), 'leases.coordination.k8s.io')
})

test('names that would change a path are refused by name', () => {
  for (const name of ['', '.', '..', 'a/b', '../secrets', 'a%2fb', 'a\nb', undefined, null, 7])
    assert.throws(
      () => segment('name', name),
      { code: 'KUBE_BAD_NAME', params: { what: 'name', name: JSON.stringify(name) ?? 'undefined' } },
      String(name),
    )
})

test('unusual but legal names are encoded', () => {
  assert.equal(segment('name', 'system:node:west'), 'system:node:west')
  assert.equal(segment('name', 'a b?c#d'), 'a%20b%3Fc%23d')
  assert.equal(segment('name', '...'), '...')
})

test('queries leave out what is not set and encode the rest', () => {
  assert.equal(queryString({}), '')
  assert.equal(
    queryString({ limit: 500, continue: undefined, labelSelector: 'a in (b,c),d!=e', watch: true }),
    '?limit=500&labelSelector=a%20in%20(b%2Cc)%2Cd!%3De&watch=true',
  )
})

test('whole paths must be absolute and may not climb', () => {
  assert.equal(checkedPath('/readyz?verbose'), '/readyz?verbose')
  for (const path of ['version', '/a/../b', '/a/%2e%2E/b', '/..', '/a#b', '/a b', '/a\r\nb', '//evil\\x', '/é', ''])
    assert.throws(() => checkedPath(path), { code: 'KUBE_BAD_NAME' }, path)
})
