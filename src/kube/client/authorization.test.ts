import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { Secret } from '../../core/secret.ts'
import { authorizationHeader } from './authorization.ts'

const header = (value: string, scheme?: 'Bearer' | 'Basic') =>
  authorizationHeader({ authorization: Secret.of(value), ...(scheme && { scheme }) }, 'https://x')

test('a token is a bearer token, with a colon in it or not', () => {
  assert.equal(header('abc.def'), 'Bearer abc.def')
  assert.equal(header('token-x:y', 'Bearer'), 'Bearer token-x:y')
})

test('user and password are sent as Basic', () => {
  assert.equal(header('me:pa ss', 'Basic'), `Basic ${Buffer.from('me:pa ss').toString('base64')}`)
})

test('a token that no header can carry is refused without being shown', () => {
  for (const value of ['', 'canary\n', 'ca nary', 'canaryé'])
    assert.throws(
      () => header(value),
      (error) => {
        assert.equal((error as { code?: string }).code, 'KUBE_NO_CREDENTIALS')
        assert.doesNotMatch(inspect(error), /canary/)
        return true
      },
    )
})

test('no authorization, no header', () => {
  assert.equal(authorizationHeader({}, 'https://x'), undefined)
})
