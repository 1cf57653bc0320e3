import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forbiddenBy } from './forbidden.ts'
import { pathQuestion, resourceQuestion } from './testing/questions.ts'

const silent = { verdict: 'no opinion', reason: '' } as const

test('a refusal says who cannot do what and where', () => {
  const told = (...question: Parameters<typeof resourceQuestion>) =>
    forbiddenBy(resourceQuestion(...question), silent).message
  assert.deepEqual(
    [
      told('jane', 'list configmaps', { namespace: 'default' }),
      told('jane', 'get secrets keys', { namespace: 'default' }),
      told('jane', 'list nodes'),
      told('jane', 'get deployments/scale.apps web', { group: 'apps', subresource: 'scale', namespace: 'blue' }),
    ],
    [
      'configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "default"',
      'secrets "keys" is forbidden: User "jane" cannot get resource "secrets" in API group "" in the namespace "default"',
      'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope',
      'deployments.apps "web" is forbidden: User "jane" cannot get resource "deployments/scale" in API group "apps" in the namespace "blue"',
    ],
  )
})

test('a refusal carries what it is about, and the reason of the authorizers', () => {
  const failure = forbiddenBy(resourceQuestion('jane', 'get pods x'), { verdict: 'deny', reason: 'not on Sundays' })
  assert.deepEqual([failure.code, failure.reason, failure.details], [403, 'Forbidden', { name: 'x', kind: 'pods' }])
  assert.match(failure.message, /at the cluster scope: not on Sundays$/)
})

test('a path is refused without a kind', () => {
  const failure = forbiddenBy(pathQuestion('system:anonymous', 'get', '/metrics'), silent)
  assert.equal(failure.message, 'forbidden: User "system:anonymous" cannot get path "/metrics"')
  assert.deepEqual(failure.details, {})
})

test('names are not sent back as markup', () => {
  const { message } = forbiddenBy(resourceQuestion('<b>&"', 'list pods'), silent)
  assert.match(message, /User "&lt;b&gt;&amp;\\"" cannot/)
})

test('a failure of an authorizer is not a refusal', () => {
  const decision = { verdict: 'no opinion', reason: '', error: 'hook is down' } as const
  const failure = forbiddenBy(pathQuestion('jane', 'get', '/metrics'), decision, '/metrics?a=b')
  assert.deepEqual([failure.code, failure.message], [500, 'Internal Server Error: "/metrics?a=b": hook is down'])
})
