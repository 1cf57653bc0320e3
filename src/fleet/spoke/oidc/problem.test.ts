import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemOf } from './problem.ts'

/** As the library throws what an issuer answered. */
const answer = (status: number, error: string) => Object.assign(new Error('no'), { status, error })

const table: [what: string, status: number, error: string, kind: string][] = [
  ['a token that is refused', 400, 'invalid_grant', 'grant'],
  ['the same with the status that Auth0 has for it', 403, 'invalid_grant', 'grant'],
  ['what is asked for is refused', 400, 'invalid_scope', 'request'],
  ['a grant that the issuer does not have', 400, 'unsupported_grant_type', 'request'],
  ['one that the client may not use', 400, 'unauthorized_client', 'request'],
  ['a request that is not understood', 400, 'invalid_request', 'request'],
  ['a client that is refused', 401, 'invalid_client', 'client'],
  ['the same as Keycloak says it', 401, 'unauthorized_client', 'client'],
  ['a realm of Keycloak that is disabled', 403, 'access_denied', 'faulty'],
  ['one that is gone', 404, 'Realm does not exist', 'faulty'],
  ['too much at a time', 429, 'too_many_requests', 'faulty'],
  ['trouble of its own', 500, 'unknown_error', 'faulty'],
  ['a word for later', 400, 'temporarily_unavailable', 'faulty'],
]
for (const [what, status, error, kind] of table)
  test(`${what} (${status} ${error}) is told as such`, () => assert.equal(problemOf(answer(status, error)).kind, kind))
