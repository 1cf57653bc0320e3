import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Attributes } from '../authorization/attributes.ts'
import { isAboutPath } from '../authorization/attributes.ts'
import { createImpersonation } from './impersonation.ts'
import type { User } from './user.ts'

const jane: User = { name: 'jane', groups: ['system:authenticated'] }
const request: Attributes = {
  user: jane,
  verb: 'list',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'work',
  name: '',
}

const told = (attributes: Attributes): string => {
  if (isAboutPath(attributes)) return `${attributes.verb} ${attributes.path}`
  const { verb, group, resource, subresource, namespace, name } = attributes
  return [verb, [group, resource, subresource].filter(Boolean).join('/'), namespace, name].filter(Boolean).join(' ')
}

function scene(...allowed: string[]) {
  const asked: Attributes[] = []
  const impersonate = createImpersonation({
    async authorize(attributes) {
      asked.push(attributes)
      return allowed.includes(told(attributes))
        ? { verdict: 'allow', reason: '' }
        : { verdict: 'no opinion', reason: '' }
    },
  })
  return { asked, as: (headers: string[], of: Attributes = request) => impersonate(of, headers), allowed }
}

const joe = ['Impersonate-User', 'joe']

describe('impersonation', () => {
  test('a request without such headers is its own, and nobody is asked', async () => {
    const { as, asked } = scene()
    assert.equal(await as(['accept', '*/*', 'If-Match', 'x', 'Impersonate-User', '']), jane)
    assert.deepEqual(asked, [])
  })

  test('each part is asked for, and headers of one name stay apart', async () => {
    const { as } = scene(
      'impersonate users joe',
      'impersonate groups a,b',
      'impersonate groups ä',
      'impersonate authentication.k8s.io/uids u-1',
      'impersonate authentication.k8s.io/userextras/acme.io/team blue',
    )
    const headers = [...joe, 'impersonate-GROUP', 'a,b', 'Impersonate-Group', Buffer.from('ä').toString('latin1')]
    assert.deepEqual(await as([...headers, 'Impersonate-Uid', 'u-1', 'Impersonate-Extra-Acme.io%2FTeam', 'blue']), {
      name: 'joe',
      uid: 'u-1',
      groups: ['a,b', 'ä', 'system:authenticated'],
      extra: { 'acme.io/team': ['blue'] },
    })
  })

  test('what is told first is that the request cannot be made as somebody else', async () => {
    await assert.rejects(scene().as(joe), {
      code: 403,
      message:
        'pods is forbidden: User "jane" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "work"',
    })
    await assert.rejects(scene().as(joe, { user: jane, verb: 'get', path: '/healthz' }), {
      message: 'forbidden: User "jane" cannot impersonate-on:user-info:get path "/healthz"',
    })
  })

  test('who got through in one way is told of that way', async () => {
    const { as, asked } = scene('impersonate users joe')
    await as(joe)
    asked.length = 0
    await as(joe)
    assert.deepEqual(asked.map(told), ['impersonate users joe'])
    await assert.rejects(as(['Impersonate-User', 'jim']), /^ApiFailure: users "jim" is forbidden: /)
  })

  test('constrained rights make a node of the one who asks, with the groups of nodes', async () => {
    const node = ['Impersonate-User', 'system:node:n-1']
    const { as, allowed } = scene(
      'impersonate-on:arbitrary-node:list pods work',
      'impersonate:arbitrary-node authentication.k8s.io/nodes n-1',
    )
    assert.deepEqual(await as(node), { name: 'system:node:n-1', groups: ['system:nodes', 'system:authenticated'] })
    allowed.length = 0
    await assert.rejects(
      as([...node, 'Impersonate-Uid', 'x']),
      /users "system:node:n-1" is forbidden: .* cannot impersonate /,
    )
  })

  test('a pod may act as the node it runs on', async () => {
    const name = 'system:serviceaccount:work:agent'
    const extra = { 'authentication.kubernetes.io/node-name': ['n-1'], other: ['x'] }
    const { as, asked } = scene(
      'impersonate-on:associated-node:list pods work',
      'impersonate:associated-node authentication.k8s.io/nodes *',
    )
    const of = { ...request, user: { ...jane, name, extra } }
    assert.equal((await as(['Impersonate-User', 'system:node:n-1'], of)).name, 'system:node:n-1')
    assert.deepEqual(asked[0]?.user.extra, {
      'authentication.kubernetes.io/associated-node-keys': ['authentication.kubernetes.io/node-name', 'other'],
    })
    await assert.rejects(as(['Impersonate-User', 'system:node:n-2'], of), /arbitrary-node/)
  })

  test('constrained rights never reach system:masters, nameless groups or loose extra', async () => {
    const { as } = scene(
      'impersonate-on:user-info:list pods work',
      'impersonate:user-info authentication.k8s.io/users joe',
    )
    assert.equal((await as(joe)).name, 'joe')
    const why = (...headers: string[]) =>
      as([...joe, ...headers]).catch((error) => error.message.split(': ').slice(2).join(': '))
    assert.equal(
      await why('Impersonate-Group', 'system:masters'),
      'impersonating the system:masters group is not allowed',
    )
    assert.equal(await why('Impersonate-Group', ''), 'impersonating the empty string group is not allowed')
    assert.equal(
      await why('Impersonate-Extra-a', 'b'),
      'impersonating an invalid key in extra is not allowed: extra.key: Invalid value: "a": must be a domain-prefixed path (such as "acme.io/foo")',
    )
    assert.equal(await why('Impersonate-Extra-', 'b'), 'impersonating the empty string key in extra is not allowed')
    assert.equal(
      await why('Impersonate-Extra-a.io%2fb', ''),
      'impersonating the empty string value in extra is not allowed',
    )
  })

  test('the anonymous user, and who is marked, get no other mark', async () => {
    const groupsOf = async (...headers: string[]) => {
      const { as } = scene(
        ...['system:anonymous', 'joe'].map((name) => `impersonate users ${name}`),
        ...['dev', 'system:unauthenticated', 'system:authenticated'].map((name) => `impersonate groups ${name}`),
      )
      return (await as(headers)).groups
    }
    const anonymous = ['Impersonate-User', 'system:anonymous']
    assert.deepEqual(await groupsOf(...anonymous), ['system:unauthenticated'])
    assert.deepEqual(await groupsOf(...anonymous, 'Impersonate-Group', 'dev'), ['dev', 'system:unauthenticated'])
    assert.deepEqual(await groupsOf(...joe, 'Impersonate-Group', 'system:unauthenticated'), ['system:unauthenticated'])
    assert.deepEqual(await groupsOf(...joe, 'Impersonate-Group', 'system:authenticated'), ['system:authenticated'])
  })

  test('an identity without a user is a bad request', async () => {
    await assert.rejects(
      scene().as(['Impersonate-Group', 'a', 'Impersonate-Extra-B', '"', 'Impersonate-Extra-a', 'x']),
      {
        code: 400,
        message:
          'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"a"}, Extra:map[string][]string{"a":[]string{"x"}, "b":[]string{"\\""}}} without impersonating a user name',
      },
    )
  })

  test('what an authorizer could not tell is not allowed', async () => {
    const impersonate = createImpersonation({
      authorize: async () => ({ verdict: 'no opinion', reason: 'odd', error: 'it broke' }),
    })
    await assert.rejects(impersonate(request, joe), { code: 403, message: /: it broke: odd$/ })
  })
})
