import assert from 'node:assert/strict'
import { test } from 'node:test'
import { created, whyNotCreated } from '../../../test/support/kind-rules.ts'
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from './webhook-configuration.ts'

const hook = {
  name: 'a.example.com',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  clientConfig: { url: 'https://127.0.0.1:1/a' },
  rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }],
}
const why = (change: object) => whyNotCreated(validatingWebhookConfigurations, { webhooks: [{ ...hook, ...change }] })

test('a good one has nothing against it, and is filled in', () => {
  assert.deepEqual(why({}), [])
  const filled = created(mutatingWebhookConfigurations, { webhooks: [hook] })['webhooks'] as object[]
  assert.deepEqual(filled, [
    {
      ...hook,
      rules: [{ ...hook.rules[0], scope: '*' }],
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      timeoutSeconds: 10,
      reinvocationPolicy: 'Never',
    },
  ])
})

test('a URL is taken apart as it was written', () => {
  const url = (text: string) => why({ clientConfig: { url: text } }).length
  for (const good of ['https://a', 'https://a:1/b/c', 'https://[::1]:1/']) assert.equal(url(good), 0, good)
  assert.deepEqual([url('a'), url('https:///a'), url('HTTPS://a')], [2, 1, 1])
})

test('a path of a service is made of names', () => {
  const path = (text: string) => why({ clientConfig: { service: { name: 'a', namespace: 'b', path: text } } }).length
  assert.deepEqual([path('/'), path('/a/b.c/'), path('/a')], [0, 0, 0])
  assert.deepEqual([path('//'), path('ab'), path('/a//b'), path('/A')], [1, 1, 1, 1])
})

test('an expression is compiled when it is written down', () => {
  const expression = (text: string) => why({ matchConditions: [{ name: 'a', expression: text }] })
  assert.deepEqual(expression('request.operation == "CREATE" && object.metadata.name != "x"'), [])
  assert.match(expression('nobody').join(), /undeclared reference to 'nobody'/)
  assert.match(expression('"text"').join(), /must evaluate to bool but got string/)
})
