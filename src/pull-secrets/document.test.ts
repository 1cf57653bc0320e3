import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '../core/secret.ts'
import { documentOf } from './document.ts'

const quay = {
  username: 'redhat-openshift+hyperfleet_gcp_useast1_a1b2c3d4e5f64789',
  token: Secret.of('TOKEN'),
  hosts: ['quay.io', 'cloud.openshift.com'],
}
const redhat = { username: '|hyp-cls-abc123', token: Secret.of('JWT'), hosts: ['registry.redhat.io'] }

test('an entry a host, base64 of username and token', () => {
  const { json } = documentOf([quay, redhat])
  assert.deepEqual(JSON.parse(json.reveal()), {
    auths: {
      'cloud.openshift.com': {
        auth: 'cmVkaGF0LW9wZW5zaGlmdCtoeXBlcmZsZWV0X2djcF91c2Vhc3QxX2ExYjJjM2Q0ZTVmNjQ3ODk6VE9LRU4=',
      },
      'quay.io': { auth: 'cmVkaGF0LW9wZW5zaGlmdCtoeXBlcmZsZWV0X2djcF91c2Vhc3QxX2ExYjJjM2Q0ZTVmNjQ3ODk6VE9LRU4=' },
      'registry.redhat.io': { auth: 'fGh5cC1jbHMtYWJjMTIzOkpXVA==' },
    },
  })
})

test('the order in which credentials come makes no difference to a byte', () => {
  const [one, other] = [documentOf([quay, redhat]), documentOf([redhat, quay])]
  assert.equal(one.json.reveal(), other.json.reveal())
  assert.equal(one.hash, other.hash)
  assert.deepEqual(one.hosts, ['cloud.openshift.com', 'quay.io', 'registry.redhat.io'])
})

test('a token is UTF-8, and may have colons', () => {
  const { json } = documentOf([{ username: 'u', token: Secret.of('a:b:ü'), hosts: ['h'] }])
  const { auth } = JSON.parse(json.reveal()).auths.h
  assert.equal(Buffer.from(auth, 'base64').toString(), 'u:a:b:ü')
})

test('a document does not print', () => {
  assert.doesNotMatch(JSON.stringify(documentOf([quay])), /VE9LRU4|TOKEN/)
})
