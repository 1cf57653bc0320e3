import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKey, readRequest } from '../../pki/index.ts'
import { agentOrder, csrObject, isOurs, isSameSubject, requestName } from './request.ts'

const order = agentOrder('west', 'a1')

test('the name follows from subject, signer and key, and from nothing else', () => {
  const [one, two] = [generateKey().keyPem, generateKey().keyPem]
  assert.equal(requestName(order, one), requestName({ ...order, expirationSeconds: 600 }, one))
  assert.notEqual(requestName(order, one), requestName(order, two))
  assert.notEqual(requestName(order, one), requestName({ ...agentOrder('west', 'a2'), prefix: order.prefix }, one))
  assert.notEqual(requestName(order, one), requestName({ ...order, signer: 'example.com/signer' }, one))
  assert.match(requestName(order, one), /^west-[0-9a-f]{32}$/)
})

test('the longest name of a cluster still makes a request', async () => {
  const long = agentOrder('c'.repeat(63), 'a'.repeat(63))
  const { keyPem } = generateKey()
  const csr = await csrObject(long, keyPem)
  assert.ok(`${csr.metadata?.name}`.length <= 253)
  assert.equal(isOurs(csr, long, keyPem), true)
})

test('an expiry is asked for only when there is one', async () => {
  const { keyPem } = generateKey()
  assert.equal((await csrObject(order, keyPem)).spec.expirationSeconds, undefined)
  assert.equal((await csrObject({ ...order, expirationSeconds: 600 }, keyPem)).spec.expirationSeconds, 600)
})

test('a request of the same name is ours only with our key, subject and signer', async () => {
  const { keyPem } = generateKey()
  const csr = await csrObject(order, keyPem)
  assert.equal(isOurs(csr, order, keyPem), true)
  assert.equal(isOurs(csr, order, generateKey().keyPem), false)
  assert.equal(isOurs(csr, agentOrder('west', 'a2'), keyPem), false)
  assert.equal(isOurs({ ...csr, spec: { ...csr.spec, signerName: 'example.com/other' } }, order, keyPem), false)
  assert.equal(isOurs({ ...csr, spec: { ...csr.spec, request: 'bm8=' } }, order, keyPem), false)
})

test('an add-on asks with its own signer, names and units', async () => {
  const { keyPem } = generateKey()
  const csr = await csrObject(
    {
      prefix: 'addon-west-logs-',
      subject: { commonName: 'logs', organizations: ['b', 'a'], organizationalUnits: ['u'] },
      labels: { a: 'b' },
      signer: 'example.com/signer',
      sans: { dnsNames: ['logs.example.com'] },
    },
    keyPem,
  )
  const asked = readRequest(Buffer.from(csr.spec.request, 'base64').toString())
  assert.equal(csr.spec.signerName, 'example.com/signer')
  assert.deepEqual(asked.sans.dnsNames, ['logs.example.com'])
  assert.equal(
    isSameSubject(asked.subject, { commonName: 'logs', organizations: ['a', 'b'], organizationalUnits: ['u'] }),
    true,
  )
  assert.equal(
    isSameSubject(asked.subject, { commonName: 'logs', organizations: ['a'], organizationalUnits: ['u'] }),
    false,
  )
})
