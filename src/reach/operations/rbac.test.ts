import assert from 'node:assert/strict'
import { test } from 'node:test'
import { subjectOf } from './rbac.ts'

test('a service account is named as one, anybody else as a user', () => {
  assert.deepEqual(subjectOf('system:serviceaccount:lanyard:reach'), {
    kind: 'ServiceAccount',
    namespace: 'lanyard',
    name: 'reach',
  })
  for (const name of ['oidc:hub', 'system:serviceaccount:lanyard', 'system:serviceaccount:a:b:c'])
    assert.deepEqual(subjectOf(name), { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name })
})
