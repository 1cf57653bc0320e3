import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approverOf, isMadeByHand, isRequester, mayBeFor, mayBeRequester } from './persons.ts'
import { aPerson, aSession, dev } from './testing/builders.ts'

const session = aSession()

test('whoever asked is known by their subject at the same issuer', () => {
  assert.equal(isRequester(session, dev), true)
  assert.equal(isRequester(session, { ...dev, email: 'new@example.com' }), true)
  assert.equal(isRequester(session, { ...dev, subject: 'another' }), false)
})

test('the same names at another issuer are somebody else, unless the session holds for any', () => {
  const abroad = { ...dev, issuer: 'https://elsewhere.example.com', subject: 'foreign' }
  assert.equal(isRequester(session, abroad), false)
  const anywhere = aSession(undefined, { allowIDPMismatch: true })
  assert.equal(isRequester(anywhere, abroad), true)
  assert.equal(isRequester(anywhere, { ...abroad, email: 'x@example.com', username: 'x' }), false)
})

test('a user name that somebody gave themselves does not make them who asked', () => {
  const impostor = aPerson('mallory', { username: 'dev@example.com' })
  assert.equal(isRequester(session, impostor), false)
  assert.equal(mayBeRequester(session, impostor), true, 'and yet they do not approve it')
})

test('of a session made by hand its user is who asked', () => {
  const { requestedBy: _requestedBy, identityProviderIssuer: _issuer, ...spec } = session.spec
  const byHand = { ...session, spec }
  assert.equal(isRequester(byHand, { ...dev, email: 'DEV@Example.com' }), true)
  assert.equal(isRequester(byHand, aPerson('lead')), false)
})

test('F9d: of several providers only a mail address that one vouches for makes a person of another who asked', () => {
  const amongProviders = { groupPrefixes: [] }
  const {
    requestedBy: _requestedBy,
    identityProviderIssuer: _issuer,
    identityProviderName: _name,
    ...spec
  } = session.spec
  const byHand = { ...session, spec }
  const named = (user: string, more = {}) => ({ ...byHand, spec: { ...spec, user, ...more } })
  const self = { ...dev, amongProviders }
  assert.equal(isRequester(byHand, self), true)
  const { email: _email, ...unvouched } = self
  const impostor = {
    ...unvouched,
    claimedEmail: 'dev@example.com',
    username: 'dev@example.com',
    subject: 'dev@example.com',
  }
  assert.deepEqual([isRequester(byHand, impostor), mayBeRequester(byHand, impostor)], [false, true])
  assert.equal(isRequester(named('id-of-dev'), self), false, 'a subject is one at its provider only')
  assert.equal(isRequester(named('id-of-dev', { identityProviderName: dev.identityProvider }), self), true)
  assert.equal(isRequester(named('id-of-dev', { identityProviderIssuer: dev.issuer }), self), true)

  const abroad = { ...self, issuer: 'https://elsewhere.example.com', identityProvider: 'b', subject: 'x' }
  const anywhere = aSession(undefined, { allowIDPMismatch: true })
  assert.equal(isRequester(anywhere, abroad), true)
  assert.equal(isRequester(anywhere, { ...abroad, email: 'x@example.com' }), false, 'by the user name alone')
})

test('F9e: on record a name that only one of several providers gives is told with it', () => {
  assert.equal(approverOf({ ...dev, amongProviders: { groupPrefixes: [] } }), 'dev@example.com')
  const { email: _email, ...unvouched } = { ...dev, username: 'lead@example.com', identityProvider: 'partner' }
  assert.equal(approverOf(unvouched), 'lead@example.com')
  assert.equal(approverOf({ ...unvouched, amongProviders: { groupPrefixes: [] } }), 'partner:lead@example.com')
})

test('whoever may have asked is found by any name, in any case, from any provider', () => {
  const bySubject = aSession(undefined, { user: 'id-of-dev' })
  assert.equal(mayBeRequester(bySubject, { ...dev, email: 'x', username: 'x', subject: 'ID-OF-DEV' }), true)
  assert.equal(mayBeRequester(session, { ...dev, subject: 'x', email: 'DEV@EXAMPLE.COM', identityProvider: 'b' }), true)
  assert.equal(mayBeRequester(session, aPerson('lead')), false)
})

test('whoever it is for is found behind a prefix, and so is whoever made it by hand', () => {
  for (const user of ['oidc:dev@example.com', 'corp-DEV@example.com', `${dev.issuer}#id-of-dev`])
    assert.equal(mayBeRequester(aSession(undefined, { user, requestedBy: {} }), dev, ['corp-']), true, user)
  assert.equal(mayBeRequester(aSession(undefined, { user: 'xdev@example.com', requestedBy: {} }), dev), false)
  const other = aSession(undefined, { user: 'x', requestedBy: {} })
  const metadata = { ...other.metadata, annotations: { 'lanyard.io/created-by': 'oidc:lead@example.com' } }
  const byLead = { ...other, metadata }
  assert.deepEqual([mayBeRequester(byLead, aPerson('lead')), mayBeRequester(byLead, dev)], [true, false])
  assert.deepEqual([mayBeFor(byLead, aPerson('lead')), isMadeByHand(byLead), isMadeByHand(other)], [false, true, false])
})
