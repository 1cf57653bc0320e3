import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addonGroup, addonUser } from '../../../fleet/names.ts'
import { csrDeclaration } from './declaration.ts'
import { aCustomSigner, aKubeClient } from './testing/items.ts'

const usual = { user: addonUser('west', 'logs'), groups: [addonGroup('west', 'logs')] }

test('where a registration says nothing, the add-on comes as itself', () => {
  assert.deepEqual(csrDeclaration(aKubeClient()), { driver: 'csr', subject: usual })
  assert.deepEqual(csrDeclaration(aKubeClient({ user: '', groups: [] })), { driver: 'csr', subject: usual })
})

test('a registration for a custom signer stays as the controller of the add-on wrote it', () => {
  assert.deepEqual(csrDeclaration(aCustomSigner('example.com/s')), { subject: {} })
})

test('what a registration says is kept', () => {
  const subject = { user: 'somebody', groups: ['b', 'a'] }
  assert.deepEqual(csrDeclaration(aKubeClient(subject)), { driver: 'csr', subject })
  const whole = { ...subject, organizationUnits: ['unit'] }
  assert.deepEqual(csrDeclaration(aCustomSigner('example.com/s', whole)), { subject: whole })
})

test('the account of the token driver is replaced, by either of its names and by no other', () => {
  for (const account of ['west-logs-agent', 'logs-agent']) {
    const left = aKubeClient({ user: `system:serviceaccount:west:${account}` })
    assert.deepEqual(csrDeclaration(left), { driver: 'csr', subject: usual })
  }
  const user = 'system:serviceaccount:east:logs-agent'
  assert.deepEqual(csrDeclaration(aKubeClient({ user })), { driver: 'csr', subject: { ...usual, user } })
})

test('a name that cannot be a label, or makes no Secret, is refused with the reason', () => {
  assert.match(`${csrDeclaration(aKubeClient({}, 'a'.repeat(64)))}`, /longer than 63 characters/)
  assert.match(`${csrDeclaration(aCustomSigner('example.com/Upper'))}`, /no name for a Secret/)
})

test('where the hub is an EKS cluster, its own API is not reached by certificate, and what to do instead is said', () => {
  const eks = { version: 'v1.33.1-eks-1fbb135' }
  const said = `${csrDeclaration(aKubeClient(), eks)}`
  for (const part of [
    'v1.33.1-eks-1fbb135',
    'the driver token',
    '--addon-kubeclient-registration-auth=token',
    'addOnKubeClientRegistrationDriver.authType',
  ])
    assert.ok(said.includes(part), said)
  assert.deepEqual(csrDeclaration(aCustomSigner('example.com/s'), eks), { subject: {} })
  for (const version of ['v1.36.2', 'v1.33.1-gke.100', undefined])
    assert.deepEqual(csrDeclaration(aKubeClient(), { version }), { driver: 'csr', subject: usual })
})

test('to declare what is declared changes nothing', () => {
  for (const item of [aKubeClient(), aCustomSigner('example.com/s', { user: 'x' })]) {
    const first = csrDeclaration(item)
    assert.ok(typeof first !== 'string')
    assert.deepEqual(csrDeclaration({ ...item, subject: first.subject }), first)
  }
})

test('the signer of the hub is no signer of its own', () => {
  assert.match(
    String(csrDeclaration(aCustomSigner('kubernetes.io/kube-apiserver-client'))),
    /register the type kubeClient/,
  )
})
