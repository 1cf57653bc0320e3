import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorityIn, hubNames } from './hub-certificate.ts'

test('the certificate of a hub names its Service, this machine and where its webhooks are called', () => {
  const { dnsNames, ipAddresses } = hubNames('hub', '0.0.0.0', 'https://hub.example:9443')
  assert.deepEqual(dnsNames, ['lanyard-hub.hub.svc', 'lanyard-hub.hub.svc.cluster.local', 'localhost', 'hub.example'])
  assert.deepEqual(ipAddresses, ['127.0.0.1', '::1'])
  assert.deepEqual(hubNames('hub', '10.0.0.1', 'https://[fd00::1]:1').ipAddresses, [
    '127.0.0.1',
    '::1',
    '10.0.0.1',
    'fd00::1',
  ])
})

test('a Secret without both halves holds no CA', () => {
  assert.equal(authorityIn(undefined), undefined)
  assert.equal(authorityIn({ 'ca.crt': 'YQ==' }), undefined)
  assert.equal(authorityIn({ 'ca.crt': 'YQ==', 'ca.key': 'Yg==' })?.certPem, 'a')
})
