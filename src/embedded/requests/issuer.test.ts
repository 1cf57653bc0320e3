import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { Secret } from '../../core/secret.ts'
import { generateKey } from '../../pki/index.ts'
import { issuerDocuments } from '../authentication/issuer-documents.ts'
import { ServiceAccountKey } from '../authentication/service-account-key.ts'
import { answerIssuer } from './issuer.ts'

const documents = issuerDocuments(new ServiceAccountKey(generateKey()), 'https://issuer')
const ask = (path: string, accept?: string, method = 'GET') =>
  answerIssuer(documents, { method, path, headers: accept ? { accept } : {} }, '127.0.0.1:6443')

test('the issuer of service account tokens tells where its keys are, and which', () => {
  const configuration = ask('/.well-known/openid-configuration')
  assert.deepEqual(JSON.parse(configuration?.body ?? ''), {
    issuer: 'https://issuer',
    jwks_uri: 'https://127.0.0.1:6443/openid/v1/jwks',
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  })
  const keys = ask('/openid/v1/jwks/', '*/*')
  assert.deepEqual(
    [keys?.contentType, keys?.headers],
    ['application/jwk-set+json', { 'cache-control': 'public, max-age=3600' }],
  )
  const [key] = JSON.parse(keys?.body ?? '').keys
  assert.deepEqual(Object.keys(key), ['use', 'kty', 'kid', 'crv', 'alg', 'x', 'y'])
})

test('an RSA key is told by its numbers', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const keyPem = Secret.of(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString())
  const { jwk } = new ServiceAccountKey({
    keyPem,
    publicKeyPem: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
  })
  assert.deepEqual(Object.keys(jwk), ['use', 'kty', 'kid', 'alg', 'n', 'e'])
})

test('nothing else is the issuer’s, nor to be had in another form or way', () => {
  assert.equal(ask('/openid/v1'), undefined)
  assert.throws(() => ask('/openid/v1/jwks', 'application/json'), { code: 406 })
  assert.throws(() => ask('/openid/v1/jwks', undefined, 'POST'), { code: 405 })
})
