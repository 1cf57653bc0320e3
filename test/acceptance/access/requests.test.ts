/** What people ask for, and who is refused what: the REST API of access, from the outside. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { BreakglassSession } from '../../../src/apis/breakglass/breakglass-session.ts'
import { ClusterConfig } from '../../../src/apis/breakglass/cluster-config.ts'
import { IdentityProvider } from '../../../src/apis/breakglass/identity-provider.ts'
import type { Answer, BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

const told = ({ status, body }: Answer) => [status, body.code]

describe('requests for access', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let scene: BreakglassScene
  before(async () => {
    timed = await timedPlane(suite)
    scene = await breakglassScene(suite, timed.plane, { clock: timed.clock })
  })
  const count = async () => (await scene.admin.of(BreakglassSession.resource).list()).items.length

  test('A39: a session is for the claim that the cluster knows its users by, and a token without it is refused', async () => {
    const bySub = await scene.story({ cluster: { userIdentifierClaim: 'sub' } })
    const made = await bySub.dev.request(bySub.cluster, bySub.group)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    assert.equal(made.body.spec.user, 'id-of-dev@example.com')
    const byDefault = await scene.story()
    assert.equal((await byDefault.dev.request(byDefault.cluster, byDefault.group)).body.spec.user, 'dev@example.com')

    const byName = await scene.story({ cluster: { userIdentifierClaim: 'preferred_username' } })
    assert.equal((await byName.dev.request(byName.cluster, byName.group)).body.spec.user, 'dev')
    const nameless = scene.person('nameless@example.com', {
      groups: ['devs'],
      claims: { preferred_username: undefined },
    })
    const refused = await nameless.request(byName.cluster, byName.group)
    assert.deepEqual(told(refused), [422, 'UNPROCESSABLE_ENTITY'])
    assert.match(refused.body.detail, /preferred_username/)

    scene.settings.userIdentifierClaim = 'preferred_username'
    try {
      const { cluster, group, dev } = await scene.story()
      assert.equal((await dev.request(cluster, group)).body.spec.user, 'dev')
    } finally {
      scene.settings.userIdentifierClaim = 'email'
    }
  })

  test('A40: a body must be a request and nothing else, and for the caller', async () => {
    const { cluster, group, dev } = await scene.story()
    const post = (body: unknown) => dev.post('/api/breakglassSessions', body)
    const before = await count()
    for (const body of [
      { cluster, group, namespace: 'x' },
      `${JSON.stringify({ cluster, group })} {}`,
      `${JSON.stringify({ cluster, group })}x`,
      '{"cluster":',
      '[]',
      'null',
      '"text"',
      { cluster, group, duration: '60' },
      { cluster, group, emergency: 'yes' },
      { cluster: [cluster], group },
      { cluster },
      { group },
      {},
    ])
      assert.deepEqual(told(await post(body)), [422, 'UNPROCESSABLE_ENTITY'], JSON.stringify(body))
    for (const user of ['other@example.com', 'id-of-other@example.com', 'root'])
      assert.deepEqual(told(await dev.request(cluster, group, { user })), [403, 'FORBIDDEN'])
    assert.equal(await count(), before)
    for (const user of ['DEV@example.com', 'dev', 'id-of-dev@example.com', '']) {
      const made = await dev.request(cluster, group, { user })
      assert.equal(made.status, 201, JSON.stringify(made.body))
      assert.equal(made.body.spec.user, 'dev@example.com')
      assert.equal((await dev.act(made.body.metadata.name, 'withdraw')).status, 200)
    }
  })

  test('A41: who may not ask, or not now, is refused, and nothing is made', async () => {
    const { cluster, group, dev } = await scene.story()
    const before = await count()
    const refused = async (answer: Promise<Answer>) => assert.deepEqual(told(await answer), [403, 'FORBIDDEN'])
    await refused(scene.person('stranger@example.com', { groups: ['others'] }).request(cluster, group))
    await refused(scene.person('lonely@example.com').request(cluster, group))
    await refused(dev.request(uniqueName('elsewhere'), group))
    await refused(dev.request(cluster, uniqueName('other-group')))

    const globbed = await scene.cluster({}, { name: uniqueName('glob-a') })
    const approvers = { users: ['lead@example.com'] }
    await scene.escalation({ escalatedGroup: group, allowed: { clusters: ['glob-*'], groups: ['devs'] }, approvers })
    assert.equal((await dev.request(globbed, group)).status, 201)
    assert.equal(await count(), before + 1)

    const unready = await scene.cluster({}, { ready: false, kubeconfig: 'none' })
    await eventually('it is not Ready', async () =>
      (await scene.admin.of(ClusterConfig.resource, scene.namespace).get(unready)).status?.conditions?.some(
        ({ type, status }) => type === 'Ready' && status === 'False',
      ),
    )
    await scene.escalation({ escalatedGroup: group, allowed: { clusters: [unready], groups: ['devs'] }, approvers })
    await refused(dev.request(unready, group))
    assert.equal(await count(), before + 1)
  })

  test('A42: a reason that must be given must be given, in at most 500 characters', async () => {
    const { cluster, group, dev } = await scene.story({ escalation: { requestReason: { mandatory: true } } })
    for (const reason of [undefined, '', ' \n\t', 'x'.repeat(501)])
      assert.deepEqual(told(await dev.request(cluster, group, { reason })), [422, 'UNPROCESSABLE_ENTITY'], reason)
    const reason = '🔥'.repeat(500)
    const made = await dev.request(cluster, group, { reason })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    assert.equal(made.body.spec.requestReason, reason)
    const free = await scene.story()
    assert.equal((await free.dev.request(free.cluster, free.group, { reason: 'x'.repeat(501) })).status, 422)
    assert.equal((await free.dev.request(free.cluster, free.group)).status, 201)
  })

  test('A43: access lasts at least a minute and at most as long as the escalation says', async () => {
    const { cluster, group, dev } = await scene.story({ escalation: { maxValidFor: '2h' } })
    for (const duration of [59, 0, -60, 7_201, 60.5])
      assert.equal((await dev.request(cluster, group, { duration })).status, 422, String(duration))
    const short = await dev.request(cluster, group, { duration: 60 })
    assert.deepEqual([short.status, short.body.spec.maxValidFor], [201, '1m'])
    await dev.act(short.body.metadata.name, 'drop')
    const long = await dev.request(cluster, group, { duration: 7_200 })
    assert.deepEqual([long.status, long.body.spec.maxValidFor], [201, '2h'])
  })

  test('A45: a cluster that names its identity providers takes requests from their users alone', async () => {
    const { cluster, group } = await scene.story({ cluster: { identityProviderRefs: [scene.provider] } })
    const other = await scene.another()
    const theirs = scene.person('dev@example.com', { groups: ['devs'], issuer: other.issuer })
    const refused = await eventually('the new provider is known', () => theirs.request(cluster, group), {
      until: ({ status }) => status !== 401,
    })
    assert.deepEqual(told(refused), [403, 'FORBIDDEN'])
    const ours = scene.person('dev@example.com', { groups: ['devs'] })
    assert.equal((await ours.request(cluster, group)).status, 201)
  })

  test('A46: limits of sessions are those of the escalation, else of the group, else of the provider', async () => {
    const providers = scene.admin.of(IdentityProvider.resource)
    const sessionLimits = {
      maxActiveSessionsPerUser: 1,
      groupOverrides: [
        { group: 'senior-*', maxActiveSessionsPerUser: 2 },
        { group: 'chief', unlimited: true },
      ],
    }
    const other = await scene.another({ sessionLimits })
    const dev = (email: string, ...groups: string[]) =>
      scene.person(email, { groups: ['devs', ...groups], issuer: other.issuer })
    const [one, two, three] = [await scene.story(), await scene.story(), await scene.story()]
    const statuses = async (person: ReturnType<typeof dev>, stories: readonly (typeof one)[]) => {
      const found: number[] = []
      for (const { cluster, group } of stories) found.push((await person.request(cluster, group)).status)
      return found
    }
    await eventually('the new provider is known', () => dev('a@example.com').get('/api/breakglassSessions'), {
      until: ({ status }) => status === 200,
    })
    assert.deepEqual(await statuses(dev('a@example.com'), [one, two]), [201, 422])
    assert.deepEqual(await statuses(dev('b@example.com', 'senior-dev'), [one, two, three]), [201, 201, 422])
    assert.deepEqual(await statuses(dev('c@example.com', 'chief'), [one, two, three]), [201, 201, 201])

    const unlimited = await scene.story({ escalation: { sessionLimitsOverride: { unlimited: true } } })
    assert.deepEqual(await statuses(dev('a@example.com'), [unlimited]), [201], 'the escalation lifts it')
    const strict = await scene.story({ escalation: { sessionLimitsOverride: { maxActiveSessionsPerUser: 1 } } })
    assert.deepEqual(await statuses(dev('c@example.com', 'chief'), [strict]), [422], 'and tightens it')
    const few = await scene.story({ escalation: { sessionLimitsOverride: { maxActiveSessionsTotal: 1 } } })
    assert.deepEqual(await statuses(dev('x@example.com'), [few]), [201])
    assert.deepEqual(await statuses(dev('y@example.com'), [few]), [422], 'of all together')
    await providers.delete(other.provider)
  })

  test('who asks too often is told when to ask again', async () => {
    const { cluster, group } = await scene.story()
    const eager = scene.person('eager@example.com', { groups: ['devs'] })
    const { limits } = scene.settings
    scene.settings.limits = { perMinute: 600, burst: 100, requestsPerMinute: 2, reviewsPerSecond: 1_000_000 }
    try {
      const first = await eager.request(cluster, group)
      assert.equal(first.status, 201)
      assert.equal((await eager.request(cluster, group)).status, 409)
      const third = await eager.request(cluster, group)
      assert.deepEqual(told(third), [429, 'TOO_MANY_REQUESTS'])
      assert.equal(third.headers.get('retry-after'), '30')
      assert.equal((await eager.get('/api/breakglassSessions')).status, 200, 'to look is another matter')
      await timed.clock.advance('31s')
      assert.equal((await eager.request(cluster, group)).status, 409)
    } finally {
      scene.settings.limits = limits
    }
  })

  test('tokens count as their providers are at the moment', async () => {
    const ask = async (token: string) =>
      (await fetch(`${scene.url}/api/breakglassSessions`, { headers: { authorization: `Bearer ${token}` } })).status
    const dev = scene.person('dev@example.com')
    const token = await dev.token()
    assert.equal(await ask(token), 200)
    assert.equal((await fetch(`${scene.url}/api/breakglassSessions`)).status, 401)
    assert.equal(await ask(`${token.slice(0, -4)}AAAA`), 401)
    const { issuer: unknown } = await scene.another({ disabled: true })
    assert.equal(await ask(await scene.person('dev@example.com', { issuer: unknown }).token()), 401)
    const { issuer, provider } = await scene.another()
    const theirs = await scene.person('dev@example.com', { issuer }).token()
    await eventually('the new provider is known', () => ask(theirs), { until: (status) => status === 200 })
    const wrongAudience = await issuer.accessToken({
      subject: 'x',
      audience: 'others',
      claims: { email: 'x@example.com' },
    })
    assert.equal(await ask(wrongAudience.reveal()), 401)
    const providers = scene.admin.of(IdentityProvider.resource)
    await providers.patch(provider, { type: 'merge', body: { spec: { disabled: true } } })
    await eventually('it counts no more, though it was verified', () => ask(theirs), {
      until: (status) => status === 401,
    })
    await providers.delete(provider)
    assert.equal(await ask(token), 200)
    const { items } = (await (await fetch(`${scene.url}/api/config/idps`)).json()) as { items: { name: string }[] }
    assert.ok(items.some(({ name }) => name === scene.provider) && !items.some(({ name }) => name === provider))
  })
})
