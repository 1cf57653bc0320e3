import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { createLog } from '../../core/log.ts'
import type { User } from '../authentication/user.ts'
import type { Attributes } from '../authorization/attributes.ts'
import type { Answer } from '../requests/answer.ts'
import { isWatchAnswer } from '../requests/answer.ts'
import type { ApiRequest } from '../requests/body.ts'
import { notFound, tooManyRequests, unauthorized } from '../status.ts'
import { ObjectTooLarge, StorageFailure } from '../storage/store.ts'
import type { GateDeps } from './gate.ts'
import { throughGate } from './gate.ts'
import { Load } from './load.ts'
import { jsonAnswer } from './testing/scene.ts'

const jane: User = { name: 'jane', groups: ['dev'] }

const aRequest = (uri: string, method = 'GET', headers: ApiRequest['headers'] = {}): ApiRequest => {
  const url = new URL(uri, 'https://server')
  return {
    ...{ method, uri, path: url.pathname, query: url.searchParams, headers, rawHeaders: [] },
    readBody: async () => Buffer.alloc(0),
  }
}

function scene(more: Partial<GateDeps> = {}) {
  const asked: Attributes[] = []
  const users: string[] = []
  const lines: string[] = []
  const deps: GateDeps = {
    authenticator: { authenticate: async () => jane },
    authorizer: {
      async authorize(attributes) {
        asked.push(attributes)
        return { verdict: 'allow', reason: '' }
      },
    },
    impersonate: async ({ user }) => user,
    clock: new FakeClock(),
    log: createLog({ destination: { write: (line) => lines.push(line) } }),
    load: new Load(),
    async route(_request, _info, user) {
      users.push(user.name)
      return jsonAnswer('{}')
    },
    ...more,
  }
  return { deps, asked, users, lines, ask: (request: ApiRequest) => throughGate(deps, request, {}) }
}

function told(answer: Answer): string {
  assert.ok(!isWatchAnswer(answer))
  const { message, reason } = JSON.parse(answer.body)
  return `${answer.code} ${reason}: ${message}`
}

test('what is asked for is what authorization is asked about', async () => {
  const { ask, asked } = scene()
  await ask(aRequest('/apis/apps/v1/namespaces/home/deployments/web/scale', 'PUT'))
  await ask(aRequest('/api/v1/secrets?fieldSelector=metadata.name%3Da&labelSelector=b'))
  await ask(aRequest('/api/v1/secrets?fieldSelector=metadata.name%3Da&watch=1'))
  await ask(aRequest('/api/v1/namespaces/home/secrets?fieldSelector=metadata.name%3Da', 'DELETE'))
  await ask(aRequest('/healthz', 'POST'))
  assert.deepEqual(asked, [
    {
      ...{ user: jane, verb: 'update', group: 'apps', version: 'v1', resource: 'deployments', subresource: 'scale' },
      ...{ namespace: 'home', name: 'web' },
    },
    {
      ...{ user: jane, verb: 'list', group: '', version: 'v1', resource: 'secrets', subresource: '' },
      ...{ namespace: '', name: 'a', fieldSelector: 'metadata.name=a', labelSelector: 'b' },
    },
    {
      ...{ user: jane, verb: 'watch', group: '', version: 'v1', resource: 'secrets', subresource: '' },
      ...{ namespace: '', name: 'a', fieldSelector: 'metadata.name=a', labelSelector: undefined },
    },
    {
      ...{ user: jane, verb: 'deletecollection', group: '', version: 'v1', resource: 'secrets', subresource: '' },
      ...{ namespace: 'home', name: '', fieldSelector: 'metadata.name=a', labelSelector: undefined },
    },
    { user: jane, verb: 'post', path: '/healthz' },
  ])
})

test('a list is about one name only where its selector says so, and can be read', async () => {
  const { ask, asked } = scene()
  for (const selector of ['metadata.name!=a', 'metadata.name', 'x.metadata.name=a', 'metadata.name=a\\x', 'spec.a=b'])
    await ask(aRequest(`/api/v1/secrets?fieldSelector=${encodeURIComponent(selector)}`))
  assert.deepEqual(
    asked.map((attributes) => 'name' in attributes && attributes.name),
    ['', '', '', '', ''],
  )
})

test('who is nobody, and who may not, does not get past it', async () => {
  const stranger = scene({ authenticator: { authenticate: () => Promise.reject(unauthorized()) } })
  assert.equal(told((await stranger.ask(aRequest('/api/v1/secrets'))).answer), '401 Unauthorized: Unauthorized')
  const refused = scene({ authorizer: { authorize: async () => ({ verdict: 'no opinion', reason: '' }) } })
  assert.equal(
    told((await refused.ask(aRequest('/api/v1/secrets'))).answer),
    '403 Forbidden: secrets is forbidden: User "jane" cannot list resource "secrets" in API group "" at the cluster scope',
  )
  assert.deepEqual([stranger.users, stranger.asked, refused.users, stranger.lines, refused.lines], [[], [], [], [], []])
})

test('an impersonated user is the one who is authorized and served', async () => {
  const { ask, asked, users } = scene({ impersonate: async () => ({ name: 'john', groups: [] }) })
  await ask(aRequest('/api/v1/secrets'))
  assert.deepEqual([asked.map(({ user }) => user.name), users], [['john'], ['john']])
})

test('the API’s "no" is told as it is, in the form that the client reads', async () => {
  const { ask, lines } = scene({
    route: async () => Promise.reject(notFound({ group: '', plural: 'secrets' }, 'a')),
  })
  const plain = await ask(aRequest('/api/v1/namespaces/home/secrets/a'))
  assert.equal(told(plain.answer), '404 NotFound: secrets "a" not found')
  const yaml = (await ask(aRequest('/api/v1/secrets', 'GET', { accept: 'application/yaml' }))).answer
  assert.ok(!isWatchAnswer(yaml))
  assert.deepEqual([yaml.contentType, yaml.body.includes('message: secrets "a" not found')], ['application/yaml', true])
  const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  assert.match(told((await ask(aRequest('/api/v1/secrets', 'GET', { accept: table }))).answer), /^404/)
  assert.match(told((await ask(aRequest('/api/v1/secrets', 'GET', { accept: 'image/png' }))).answer), /^404/)
  assert.deepEqual(lines, [])
})

test('who is to come again later is told when', async () => {
  const { ask } = scene({ route: async () => Promise.reject(tooManyRequests('later', 7)) })
  const { answer } = await ask(aRequest('/api/v1/secrets'))
  assert.deepEqual('headers' in answer && answer.headers, { 'retry-after': '7' })
})

test('anything else is a 500 that tells nothing, and is logged', async () => {
  const { ask, lines } = scene({ route: async () => assert.fail('rabbit') })
  const { answer } = await ask(aRequest('/api/v1/secrets'))
  assert.equal(told(answer), '500 InternalError: Internal error occurred: see the log of the control plane')
  assert.match(lines.join(), /rabbit.*"method":"GET","path":"\/api\/v1\/secrets"/)
})

test('a disk that is full, or fails, is told apart', async () => {
  const failing = async (isFull: boolean) => {
    const { ask, lines } = scene({ route: async () => Promise.reject(new StorageFailure('no', isFull, undefined)) })
    const answer = told((await ask(aRequest('/api/v1/secrets', 'POST'))).answer)
    assert.match(lines.join(), /a write did not reach the disk/)
    return answer
  }
  assert.match(await failing(true), /^507 InsufficientStorage: the disk of the control plane is full/)
  assert.match(await failing(false), /^500 InternalError: .*the disk of the control plane did not take the write/)
})

test('warnings come with the answer, be it yes or no, each once', async () => {
  const warned = async (fails: boolean) => {
    const { ask } = scene({
      async route(_request, _info, _user, warn) {
        for (const text of ['one', 'two', 'one']) warn(text)
        if (fails) throw unauthorized()
        return jsonAnswer('{}')
      },
    })
    return (await ask(aRequest('/api/v1/secrets'))).warnings
  }
  assert.deepEqual(
    [await warned(false), await warned(true)],
    [
      ['one', 'two'],
      ['one', 'two'],
    ],
  )
})

test('an object that is too large to be stored is refused as etcd does it', async () => {
  const { ask, lines } = scene({
    async route() {
      throw new ObjectTooLarge()
    },
  })
  const { answer } = await ask(aRequest('/api/v1/namespaces/home/secrets', 'POST'))
  assert.deepEqual([told(answer), lines], ['500 undefined: etcdserver: request is too large', []])
})
