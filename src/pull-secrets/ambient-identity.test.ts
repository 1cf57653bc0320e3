import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailure } from '../core/failure.ts'
import { ambientEnvironment, refuseStaticKeys, staticKeyIn } from './ambient-identity.ts'

const key = 'AKIAIOSFODNN7EXAMPLE'

test('keys of the clouds are found by their field, however it is spelt and however deep', () => {
  assert.equal(staticKeyIn({ aws: { accessKeyId: 'x' } }), 'aws.accessKeyId')
  assert.equal(staticKeyIn({ aws: { access_key_id: 'x' } }), 'aws.access_key_id')
  assert.equal(staticKeyIn({ list: [{ 'client-secret': 'x' }] }), 'list.0.client-secret')
  assert.equal(staticKeyIn({ google: { private_key: 'x' } }), 'google.private_key')
})

test('keys of the clouds are found by their look, in whichever field', () => {
  assert.equal(staticKeyIn({ args: ['--user', key] }), 'args.1')
  assert.equal(staticKeyIn({ pem: '-----BEGIN RSA PRIVATE KEY-----\n' }), 'pem')
  assert.equal(staticKeyIn({ json: '{"type": "service_account"}' }), 'json')
  assert.equal(staticKeyIn({ blob: 'Endpoint=x;AccountKey=y' }), 'blob')
})

test('what names a file, a role or a region is no key', () => {
  const config = {
    tokenFile: '/run/secrets/token',
    keyFile: '/run/tls/key.pem',
    roleArn: 'arn:aws:iam::123456789012:role/pull',
    region: 'eu-west-1',
    accessKeyId: undefined,
  }
  assert.equal(staticKeyIn(config), undefined)
})

test('a refusal names the field and not the key; the switch lets it through', () => {
  const config: { allowStaticKeys?: boolean; credentials: unknown } = { credentials: { accessKeyId: key } }
  assert.throws(
    () => refuseStaticKeys('sink aws', config),
    (error) => isFailure(error, 'PULL_STATIC_KEY') && /credentials\.accessKeyId of sink aws/.test(error.message),
  )
  refuseStaticKeys('sink aws', { ...config, allowStaticKeys: true })
})

test('a program sees the identity of the platform, keys only by the switch, and our own passwords never', () => {
  const environment = {
    PATH: '/bin',
    AWS_ROLE_ARN: 'role',
    AWS_ACCESS_KEY_ID: key,
    LANYARD_PULL_SECRETS_DATABASE_URL: 'postgresql://user:password@db',
    HOME: undefined,
  }
  assert.deepEqual(ambientEnvironment(environment), { PATH: '/bin', AWS_ROLE_ARN: 'role' })
  assert.deepEqual(ambientEnvironment(environment, { allowStaticKeys: true }), {
    PATH: '/bin',
    AWS_ROLE_ARN: 'role',
    AWS_ACCESS_KEY_ID: key,
  })
})
