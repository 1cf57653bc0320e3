import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aSession, at, authorizerScene, reading } from './testing/scene.ts'

const dev = 'dev@example.com'

test('an explanation is the same decision with what it rests on, and is no use', async () => {
  const scene = authorizerScene({ oidcPrefixes: [] })
  scene.cluster('west')
  scene.policies.put({
    metadata: { name: 'held' },
    spec: {
      appliesTo: { sessions: ['c-held'] },
      rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    },
  })
  scene.sessions.put(aSession('a-over', {}, { state: 'Expired' }))
  scene.sessions.put(aSession('b-late', { grantedGroup: 'late' }, { expiresAt: at(-1) }))
  scene.sessions.put(aSession('c-held', { grantedGroup: 'held' }))
  scene.sessions.put(aSession('d-other', { grantedGroup: 'other', identityProviderIssuer: 'https://b.example.com' }))
  scene.sessions.put(aSession('e-viewer', { grantedGroup: 'viewers', identityProviderIssuer: 'https://a.example.com' }))
  scene.sessions.put(aSession('f-admin', { grantedGroup: 'admins', identityProviderIssuer: 'https://a.example.com' }))
  scene.sessions.put(aSession('c-held', { grantedGroup: 'held', allowIDPMismatch: true }))
  scene.answer = (_, groups) => ({ answer: groups.includes('admins') ? 'allowed' : 'refused' })
  const asked = reading(dev, { issuer: 'https://a.example.com' })
  const { decision, sessions, policies, reviews } = await scene.authorizer.explain('west', asked)
  assert.deepEqual(decision, await scene.authorizer.decide('west', asked))
  assert.deepEqual(sessions.map(({ name, aside }) => [name, aside]).sort(), [
    ['a-over', 'not-granting'],
    ['b-late', 'not-granting'],
    ['c-held', 'policy'],
    ['d-other', 'other-issuer'],
    ['e-viewer', 'refused'],
    ['f-admin', undefined],
  ])
  assert.deepEqual(
    policies.map(({ policy, session }) => [policy, session]),
    [['held', 'c-held']],
  )
  assert.deepEqual(
    reviews.map(({ groups, review }) => [groups.join(), review.answer]),
    [
      ['viewers,admins', 'allowed'],
      ['viewers', 'refused'],
      ['admins', 'allowed'],
    ],
  )
  assert.deepEqual(scene.used, ['f-admin'], 'by the decision, not by the explanation')
})

test('explained: a session that a policy for everybody outranks still runs, and one that nothing is known of too', async () => {
  const scene = authorizerScene()
  scene.cluster('west')
  scene.sessions.put(aSession('one'))
  scene.sessions.put(aSession('over', { grantedGroup: 'late' }, { state: 'Expired' }))
  scene.policies.put({
    metadata: { name: 'never' },
    spec: { rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] },
  })
  const asides = async () => {
    const { decision, sessions } = await scene.authorizer.explain('west', reading(dev))
    return [decision.source, ...sessions.map(({ name, aside }) => `${name} ${aside}`).sort()]
  }
  assert.deepEqual(await asides(), ['policy', 'one policy', 'over not-granting'])
  scene.set = undefined
  assert.deepEqual(await asides(), ['policy-error', 'one policy', 'over not-granting'])
})
