import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import fc from 'fast-check'
import { silentLog } from '../../core/log.ts'
import { createMetrics } from '../../core/metrics.ts'
import type { RawAnswer, RawRequest } from '../../fleet/rest.ts'
import type { SpokeView } from '../../fleet/spoke/index.ts'
import type { AuditInput, AuditType } from '../audit/contract.ts'
import { defaultAccessSettings } from '../settings.ts'
import type { AtOnce, Authorizer } from './contract.ts'
import { authorizeRoutes } from './routes.ts'
import { aSession, authorizerScene } from './testing/scene.ts'

const spec = { user: 'dev@example.com', groups: ['devs'], resourceAttributes: { verb: 'get', resource: 'secrets' } }
const review = (more: object = {}, of: object = spec) =>
  JSON.stringify({ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec: of, ...more })

async function scene(
  options: { authorizer?: Authorizer & AtOnce; wanted?: readonly AuditType[]; reviewsPerSecond?: number } = {},
) {
  const { reviewsPerSecond = 1_000_000 } = options
  const inner = authorizerScene({ limits: { ...defaultAccessSettings.limits, reviewsPerSecond } })
  inner.cluster('west')
  const metrics = await createMetrics()
  const recorded: AuditInput[] = []
  const routes = authorizeRoutes({
    ...{ clock: inner.clock, log: silentLog, metrics, settings: () => inner.settings },
    spokeView: { configs: inner.configs } as unknown as SpokeView,
    authorizer: options.authorizer ?? inner.authorizer,
    tokens: { isOf: (cluster, token) => token === `token-of-${cluster}` },
    audit: {
      record: (event) => void recorded.push(event),
      recordSurely: async () => true,
      wants: (type) => options.wanted?.includes(type) ?? true,
    },
  })
  const ask = async (
    body: string | Readable,
    {
      cluster = 'west',
      path = '/api/breakglass/webhook/authorize/{cluster}',
      headers = {} as RawRequest['headers'],
      hasRoom = true,
    } = {},
  ): Promise<RawAnswer & { json: { status?: object; kind?: string; apiVersion?: string; code?: string } }> => {
    const route = routes.find((one) => one.path === path)
    assert.ok(route, path)
    const answer = await route.handle({
      ...{ params: { cluster }, query: {}, address: '192.0.2.1', traceId: 't', signal: AbortSignal.abort() },
      body: typeof body === 'string' ? Readable.from(body === '' ? [] : [Buffer.from(body)]) : body,
      claim: () => hasRoom,
      headers: { authorization: `Bearer token-of-${cluster}`, ...headers },
    })
    return { ...answer, json: JSON.parse(answer.body) }
  }
  return { ...inner, inner, metrics, recorded, ask, routes }
}

test('a decision is answered as it was asked, on every path', async () => {
  const { ask, sessions, routes } = await scene()
  sessions.put(aSession('one'))
  assert.deepEqual(routes.map(({ method, path }) => `${method} ${path}`).sort(), [
    'POST /api/breakglass/webhook/authorize/{cluster}',
    'POST /api/breakglass/webhook/authorize/{cluster}/policies',
    'POST /breakglass/webhook/authorize/{cluster}',
    'POST /breakglass/webhook/authorize/{cluster}/policies',
  ])
  for (const path of ['/api/breakglass/webhook/authorize/{cluster}', '/breakglass/webhook/authorize/{cluster}']) {
    const { status, json } = await ask(review(), { path })
    assert.equal(status, 200)
    assert.deepEqual(json, {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      status: { allowed: true, reason: 'Session one allows this.' },
    })
    const { json: of } = await ask(review(), { path: `${path}/policies` })
    assert.deepEqual(Object.keys(of.status ?? {}), ['allowed', 'reason'], 'no opinion')
  }
  const { json } = await ask(review({ apiVersion: 'authorization.k8s.io/v1beta1' }))
  assert.equal(json.apiVersion, 'authorization.k8s.io/v1beta1')
  const { headers } = await ask(review(), { headers: { 'x-request-id': 'abc-1' } })
  assert.deepEqual(headers, { 'x-request-id': 'abc-1' })
  assert.equal((await ask(review(), { headers: { 'x-request-id': 'a\nb' } })).headers, undefined)
})

test('without the token of the cluster nothing is decided', async () => {
  const { ask, sessions, asked, recorded, metrics } = await scene()
  sessions.put(aSession('one'))
  const wrong = [
    '',
    'Bearer',
    'Bearer ',
    'Bearer token-of-east',
    'Basic token-of-west',
    'token-of-west',
    'bearer\ttoken-of-west',
  ]
  for (const authorization of wrong) {
    const { status, json, headers } = await ask(review(), { headers: { authorization } })
    assert.deepEqual([status, json.status, json.code], [401, 401, 'UNAUTHORIZED'], authorization)
    assert.equal(headers?.['www-authenticate'], 'Bearer')
  }
  for (const authorization of [undefined, ['Bearer token-of-west', 'Bearer token-of-west']])
    assert.equal((await ask(review(), { headers: { authorization } })).status, 401)
  assert.deepEqual(asked, [])
  assert.deepEqual([...new Set(recorded.map(({ type }) => type))], ['webhook.unauthorized'])
  assert.match(await metrics.text(), /lanyard_access_webhook_refusals_total\{reason="unauthorized"\} 9/)
  assert.equal((await ask(review(), { headers: { authorization: 'bearer token-of-west' } })).status, 200)
})

test('what is no review, or too large, or cannot be decided on, is told apart', async () => {
  const { ask, cluster } = await scene()
  const tooLong = `${32 * 1024 * 1024 + 1}`
  assert.equal((await ask(neverRead(), { headers: { 'content-length': tooLong } })).status, 413)
  for (const body of ['', '{', '[]', review({ kind: 'x' }), review({}, {})])
    assert.equal((await ask(body)).status, 422, body)
  cluster('west', {}, 'elsewhere')
  assert.equal((await ask(review())).status, 500, 'ambiguous')
  for (const decide of failures) {
    const { status, json } = await (await failing(decide)).ask(review())
    assert.deepEqual([status, json.status, json.code], [500, 500, 'INTERNAL_ERROR'])
  }
})

const failures = [() => Promise.reject(new Error('x')), () => assert.fail('x')]
/** A hub that fails at every question, but knows its policies. */
async function failing(decide: Authorizer['decide']) {
  const { authorizer, ...policies } = authorizerScene()
  policies.cluster('west')
  return { ...(await scene({ authorizer: { ...authorizer, decide, glance: () => undefined } })), ...policies }
}

/** A body of which nothing may be read. */
const neverRead = () => new Readable({ read: () => assert.fail('it is read') })
/** One that breaks off, or never ends. */
const begun = (rest?: 'breaks off') => {
  const body = new Readable({ read: () => {} })
  body.push('{"kind":')
  if (rest) setImmediate(() => body.destroy())
  return body
}

const policiesPath = '/api/breakglass/webhook/authorize/{cluster}/policies'
const everything = { rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] }

test('F1a: what policies are asked is denied where it cannot be read, unless none is for the cluster', async () => {
  const { ask, clock, policies, cluster, recorded, metrics } = await scene()
  cluster('east')
  policies.put({ metadata: { name: 'no' }, spec: { ...everything, appliesTo: { clusters: ['west'] } } })
  const path = policiesPath
  const tooLong = { 'content-length': `${32 * 1024 * 1024 + 1}` }
  const told = async (asking: ReturnType<typeof ask>) => {
    const { status, json } = await asking
    return [status, (json.status as { denied?: boolean }).denied]
  }
  for (const [name, isDenied] of [
    ['west', true],
    ['east', undefined],
    ['nowhere', undefined],
  ] as const) {
    const at = { path, cluster: name }
    for (const body of ['', '{', '[]', review({ kind: 'x' }), review({}, {}), review({}, { ...spec, user: 1 })])
      assert.deepEqual(await told(ask(body, at)), [200, isDenied], body)
    assert.deepEqual(await told(ask(neverRead(), { ...at, headers: tooLong })), [200, isDenied])
    assert.deepEqual(await told(ask(neverRead(), { ...at, hasRoom: false })), [200, isDenied])
    assert.deepEqual(await told(ask(review({}, { ...spec, user: 'x'.repeat(1_100_000) }), at)), [200, isDenied])
    assert.deepEqual(await told(ask(begun('breaks off'), at)), [200, isDenied])
    const late = told(ask(begun(), at))
    await clock.advance(1_499)
    assert.deepEqual(await late, [200, isDenied], 'half a second before the API server gives up, at the latest')
  }
  assert.equal(clock.nextDue, undefined, 'no timer is left')
  assert.deepEqual([...new Set(recorded.map(({ type, actor }) => `${type} ${actor.user}`))], ['access.denied.policy '])
  assert.match(await metrics.text(), /decision="denied",source="unread",scope="policies"\} 11/)
  assert.match(await metrics.text(), /lanyard_access_webhook_refusals_total\{reason="late"\} 3/)
  assert.deepEqual(await told(ask(review(), { path, cluster: 'west' })), [200, true], 'the next one is as ever')
  assert.deepEqual([(await ask('{')).status, (await ask(begun('breaks off'))).status], [422, 400])
})

test('F1b: where the hub fails, policies are as onPolicyError says, and hold neither system users nor clusters without any', async () => {
  for (const decide of failures) {
    const { ask, policies, settings } = await failing(decide)
    const isDenied = async (user = spec.user) => {
      const { status, json } = await ask(review({}, { ...spec, user }), { path: policiesPath })
      return status === 200 ? ((json.status as { denied?: boolean }).denied ?? false) : status
    }
    assert.equal(await isDenied(), false, 'there is no policy')
    policies.put({ metadata: { name: 'no' }, spec: { ...everything, appliesTo: { clusters: ['east'] } } })
    assert.equal(await isDenied(), false, 'there is none for this cluster')
    policies.put({ metadata: { name: 'no' }, spec: everything })
    assert.equal(await isDenied(), true)
    assert.equal(await isDenied('system:node:a'), false)
    settings.onPolicyError = 'noOpinion'
    assert.equal(await isDenied(), 500)
  }
})

test('F2a: nothing is read of a body that comes without the token of its cluster', async () => {
  const { ask } = await scene()
  for (const path of ['/api/breakglass/webhook/authorize/{cluster}', policiesPath])
    for (const authorization of ['', 'Bearer token-of-east']) {
      const { status, headers } = await ask(neverRead(), { path, headers: { authorization } })
      assert.deepEqual([status, headers?.['connection']], [401, 'close'])
    }
  assert.equal((await ask(neverRead(), { hasRoom: false })).status, 503, 'nor where a cluster has too many connections')
})

const hostile = fc.oneof(
  fc.json(),
  fc.string(),
  fc
    .record({
      user: fc.oneof(
        fc.constantFrom(
          'dev@example.com',
          'dev@example.com',
          'dev@example.com',
          'DEV@example.com',
          '__proto__',
          'constructor',
          '',
        ),
        fc.anything(),
      ),
      groups: fc.oneof(fc.constant(['devs']), fc.anything()),
      extra: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.anything() }),
      resourceAttributes: fc.oneof(fc.constant({ verb: 'get', resource: 'secrets' }), fc.anything()),
      nonResourceAttributes: fc.oneof(
        { weight: 5, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.anything() },
      ),
    })
    .map((of) => review({}, of)),
)

test('whatever is sent is answered, and allowed only to whoever holds the session', async () => {
  const { ask, sessions } = await scene()
  sessions.put(aSession('one'))
  const seen = { allowed: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(
      hostile,
      fc.constantFrom('west', 'west', 'west', 'west', 'east', '__proto__', ''),
      async (body, cluster) => {
        const { status, json } = await ask(body, { cluster })
        assert.ok(status === 200 || status === 422, `${status}`)
        const isAllowed = status === 200 && (json.status as { allowed: boolean }).allowed
        seen[isAllowed ? 'allowed' : 'refused'] += 1
        if (!isAllowed) return
        const { spec: sent } = JSON.parse(body)
        assert.deepEqual([cluster, sent.user], ['west', 'dev@example.com'])
        assert.notEqual((sent.resourceAttributes ?? null) === null, (sent.nonResourceAttributes ?? null) === null)
      },
    ),
    { numRuns: 3_000 },
  )
  assert.ok(seen.allowed > 5 && seen.refused > 1_000, JSON.stringify(seen))
})

test('names of clusters that nobody gave are no labels', async () => {
  const { ask, metrics, cluster } = await scene()
  for (let n = 0; n < 50; n++) assert.equal((await ask(review(), { cluster: `made-up-${n}` })).status, 200)
  await ask(review())
  const text = await metrics.text()
  assert.match(text, /lanyard_access_cluster_decisions_total\{cluster="_unknown",decision="noOpinion"\} 50/)
  assert.match(text, /lanyard_access_cluster_decisions_total\{cluster="west",decision="noOpinion"\} 1/)
  assert.match(text, /lanyard_access_decisions_total\{decision="noOpinion",source="cluster-missing",scope="all"\} 50/)
  assert.doesNotMatch(text, /made-up/)
  cluster('east')
  await ask(review(), { cluster: 'east' })
  assert.match(await metrics.text(), /cluster="east",decision="noOpinion"\} 1/)
})

test('decisions are recorded, if anybody wants to know', async () => {
  const { ask, sessions, policies, recorded } = await scene()
  await ask(review())
  sessions.put(aSession('one'))
  await ask(review())
  policies.put({ metadata: { name: 'no' }, spec: { rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] } })
  const { json } = await ask(review())
  assert.deepEqual(Object.entries(json.status ?? {}).slice(0, 2), [
    ['allowed', false],
    ['denied', true],
  ])
  await ask(review({}, { ...spec, user: 'system:node:a' }))
  assert.deepEqual(
    recorded.map(({ type, details, requestContext }) => [type, details['policy'], requestContext.sessionName]),
    [
      ['access.denied', undefined, undefined],
      ['access.granted', undefined, 'one'],
      ['access.denied.policy', 'no', undefined],
    ],
  )
  const quiet = await scene({ wanted: [] })
  await quiet.ask(review())
  await quiet.ask(review(), { headers: { authorization: '' } })
  assert.deepEqual(quiet.recorded, [])
})

test('a cluster that asks too fast waits for its turn, and is sent away where that is too far off', async () => {
  const { ask, clock, sessions, metrics, cluster } = await scene({ reviewsPerSecond: 10 })
  cluster('east')
  sessions.put(aSession('one'))
  for (let n = 0; n < 6; n += 1) assert.equal((await ask(review())).status, 200)
  let answered = 0
  const waiting = Array.from({ length: 7 }, () => ask(review()).finally(() => (answered += 1)))
  const { status, headers, json } = await ask(review())
  assert.deepEqual([status, json.code, headers?.['retry-after']], [503, 'TOO_MANY_REQUESTS', '1'])
  assert.equal((await ask('{', { headers: { authorization: 'Bearer x' } })).status, 401, 'the token comes first')
  assert.equal((await ask('{')).status, 503, 'what is in it is not even looked at')
  assert.equal((await ask(review(), { cluster: 'east' })).status, 200, 'nobody else waits')
  await clock.advance(100)
  assert.equal(answered, 1)
  await clock.advance(600)
  for (const one of await Promise.all(waiting)) assert.equal(one.status, 200)
  const text = await metrics.text()
  assert.match(text, /lanyard_access_webhook_refusals_total\{reason="too-many"\} 2/)
  assert.match(text, /lanyard_access_webhook_waits_total 7/)
})

test('who waited has less time left for the rest, and no more than the whole deadline in all', async () => {
  const { ask, clock, sessions, inner } = await scene({ reviewsPerSecond: 10 })
  sessions.put(aSession('one'))
  for (let n = 0; n < 6; n += 1) await ask(review())
  inner.answer = () => new Promise(() => {})
  let status: number | undefined
  const late = ask(review()).then((answer) => {
    status = answer.status
    return answer
  })
  await clock.advance(1_499)
  assert.equal(status, undefined)
  await clock.advance(1)
  assert.match((await late).body, /did not answer in time/)
})

test('a flood switches no policy off: what is known at once takes no turn, and what is not is denied', async () => {
  const { ask, clock, policies, inner, metrics } = await scene({ reviewsPerSecond: 10 })
  const path = '/api/breakglass/webhook/authorize/{cluster}/policies'
  const namespaces = { selectorTerms: [{ matchLabels: { tier: 'gold' } }] }
  const rule = { verbs: ['*'], apiGroups: ['*'] }
  policies.put({ metadata: { name: 'flat' }, spec: { rules: [{ ...rule, resources: ['secrets'] }] } })
  policies.put({ metadata: { name: 'gold' }, spec: { rules: [{ ...rule, resources: ['pods'], namespaces }] } })
  const about = (resource: string, user = 'who') =>
    review({}, { user, resourceAttributes: { verb: 'get', resource, namespace: 'shop' } })
  const verdictOf = async (resource: string, user?: string) => {
    const { status, json } = await ask(about(resource, user), { path })
    assert.equal(status, 200)
    return (json.status as { denied?: boolean; reason: string }).denied ?? false
  }
  for (let n = 0; n < 100; n += 1) assert.equal(await verdictOf('secrets'), true)
  for (let n = 0; n < 6; n += 1) assert.equal(await verdictOf('pods'), false, 'labels are asked for, at its turn')
  inner.facts = { ...inner.facts, namespaceLabels: () => assert.fail('not asked') }
  const waiting = Array.from({ length: 7 }, () => ask(about('pods'), { path }))
  const { json } = await ask(about('pods'), { path })
  assert.match((json.status as { reason: string }).reason, /overloaded/)
  assert.equal(await verdictOf('pods'), true)
  assert.equal(await verdictOf('pods', 'system:node:a'), false)
  assert.equal(await verdictOf('secrets'), true)
  assert.equal(await verdictOf('configmaps'), false, 'which no policy is about')
  assert.equal((await ask(about('pods'))).status, 503, 'who only grants may be done without')
  assert.match(await metrics.text(), /decision="denied",source="overload",scope="policies"\} 2/)
  await clock.advance(700)
  for (const one of await Promise.all(waiting)) assert.match(one.body, /could not be read/)
})
