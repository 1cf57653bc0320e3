import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Attributes, Decision } from '../authorization/attributes.ts'
import { CelAuthorizer } from './authorizer.ts'
import { compile } from './cel.ts'

const jane = { name: 'jane', groups: ['dev'] }
const variables = { object: 'dyn', authorizer: 'authorizer' } as const
const resource = { group: 'apps', resource: 'deployments', subresource: 'scale', namespace: 'blue', name: 'web' }

function ask(expression: string, decision: Decision = { verdict: 'allow', reason: 'so it is' }) {
  const asked: Attributes[] = []
  const decide = (attributes: Attributes) => {
    asked.push(attributes)
    return decision
  }
  const authorizer = new CelAuthorizer(jane, decide, resource)
  return { value: compile(expression, variables)({ object: { verb: 'get' }, authorizer }), asked }
}

const questionOf = (expression: string) => ask(expression).asked[0]

describe('an authorizer', () => {
  test('is asked about resources', () => {
    const about = { user: jane, group: '', version: '*', resource: 'pods', subresource: '', namespace: '', name: '' }
    const pods = "authorizer.group('').resource('pods')"
    assert.deepEqual(questionOf(`${pods}.check('get').allowed()`), { ...about, verb: 'get' })
    assert.deepEqual(questionOf(`${pods}.subresource('x').namespace('y').name('z').check(object.verb).allowed()`), {
      ...about,
      subresource: 'x',
      namespace: 'y',
      name: 'z',
      verb: 'get',
    })
    assert.deepEqual(questionOf(`${pods}.fieldSelector('a=b').labelSelector('c').check('list').allowed()`), {
      ...about,
      fieldSelector: 'a=b',
      labelSelector: 'c',
      verb: 'list',
    })
  })

  test('is asked about what the request is about, or something near it', () => {
    const about = { user: jane, version: '*', ...resource }
    assert.deepEqual(questionOf("authorizer.requestResource.check('get').allowed()"), { ...about, verb: 'get' })
    assert.deepEqual(questionOf("authorizer.requestResource.name('').check('get').allowed()"), {
      ...about,
      name: '',
      verb: 'get',
    })
  })

  test('is asked about paths and about service accounts', () => {
    assert.deepEqual(questionOf("authorizer.path('/healthz').check('get').allowed()"), {
      user: jane,
      path: '/healthz',
      verb: 'get',
    })
    assert.deepEqual(questionOf("authorizer.serviceAccount('blue', 'web').path('/x').check('get').allowed()")?.user, {
      name: 'system:serviceaccount:blue:web',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:blue'],
    })
  })

  test('answers with a verdict, a reason and an error', () => {
    const check = "authorizer.path('/').check('get')"
    const answers = (decision: Decision) =>
      ['allowed', 'reason', 'errored', 'error'].map((answer) => ask(`${check}.${answer}()`, decision).value)
    assert.deepEqual(answers({ verdict: 'allow', reason: 'so it is' }), [true, 'so it is', false, ''])
    assert.deepEqual(answers({ verdict: 'no opinion', reason: '' }), [false, '', false, ''])
    assert.deepEqual(answers({ verdict: 'deny', reason: 'never', error: 'torn' }), [false, 'never', true, 'torn'])
  })

  test('is not asked what makes no sense', () => {
    const rejected = (question: string, message: string) =>
      assert.throws(() => ask(`authorizer.${question}.check('get').allowed()`), { message })
    rejected("path(' ')", 'path must not be empty')
    rejected("group('').resource('')", 'resource must not be empty')
    rejected("serviceAccount('blue', 'W').path('/')", 'Invalid service account name')
    rejected("serviceAccount('b.c', 'web').path('/')", 'Invalid service account namespace')
  })

  test('has nothing that is not declared', () => {
    for (const field of ['user', 'decide', 'constructor'])
      assert.throws(() => ask(`dyn(authorizer).${field} == 1`), { message: `no such key: ${field}` })
  })
})

describe('compiling', () => {
  const flaw = (expression: string) => {
    try {
      compile(expression, variables)
    } catch (error) {
      return /<input>:(1:\d+: .*)/.exec((error as Error).message)?.[1]
    }
    return undefined
  }
  const type = (name: string) => `kubernetes.authorization.${name}`

  test('tells the types of questions and answers', () => {
    const types = ['', ".path('/')", ".group('')", '.requestResource', ".path('/').check('get')"]
    assert.deepEqual(
      types.map((expression) => compile(`authorizer${expression}`, variables).type),
      ['Authorizer', 'PathCheck', 'GroupCheck', 'ResourceCheck', 'Decision'].map(type),
    )
  })

  test('refuses questions and fields that there are not', () => {
    const unresolved = (name: string) => `unexpected failed resolution of '${type(name)}'`
    const expected: Record<string, string | undefined> = {
      "authorizer.may('get')": "1:15: undeclared reference to 'may' (in container '')",
      "authorizer.group('').check('get')": `1:27: found no matching overload for 'check' applied to '${type('GroupCheck')}.(string)'`,
      "authorizer.path('/').check(1)": `1:27: found no matching overload for 'check' applied to '${type('PathCheck')}.(int)'`,
      "authorizer.serviceAccount('a')": `1:26: found no matching overload for 'serviceAccount' applied to '${type('Authorizer')}.(string)'`,
      'authorizer.foo': `1:11: ${unresolved('Authorizer')}`,
      'authorizer.?requestResource': `1:11: ${unresolved('Authorizer')}`,
      'authorizer.requestResource.foo == 1': `1:27: ${unresolved('ResourceCheck')}`,
      'has(authorizer.requestResource)': `1:4: ${unresolved('Authorizer')}`,
      'has(authorizer.foo)': `1:4: ${unresolved('Authorizer')}`,
      "authorizer.serviceAccount('a', 'b').requestResource": `1:36: ${unresolved('Authorizer')}`,
      'has(object.foo) && object.requestResource == 1': undefined,
    }
    for (const [expression, why] of Object.entries(expected)) assert.equal(flaw(expression), why, expression)
  })

  test('knows the questions where there is no such variable too, as Kubernetes does, but nobody to ask', () => {
    const program = compile("object.check('get').allowed()", ['object'])
    assert.throws(() => program({ object: 1 }), /^Error: no such overload/)
    assert.throws(() => compile("authorizer.path('/')", ['object']), /undeclared reference to 'authorizer'/)
  })
})
