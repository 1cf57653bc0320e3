import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailure } from '../../core/failure.ts'
import type { Decision, Review } from './contract.ts'
import { aSession, at, authorizerScene, reading } from './testing/scene.ts'

const dev = 'dev@example.com'
const link = 'https://glass.example.com'

test('a running session whose group may is what allows, is named, and counts as used', async () => {
  const scene = authorizerScene()
  scene.cluster('west')
  scene.sessions.put(aSession('one'))
  const decision = scene.authorizer.decide('west', reading(dev))
  assert.ok(!(decision instanceof Promise), 'nothing is waited for')
  assert.deepEqual([decision.verdict, decision.source, decision.session?.name], ['allowed', 'session', 'one'])
  assert.match(decision.reason, /one/)
  assert.deepEqual(scene.asked, [{ cluster: 'west', groups: ['admins', 'oidc:admins'] }])
  assert.deepEqual(scene.used, ['one'])
})

test('without a session nothing is asked of the cluster', async () => {
  const scene = authorizerScene()
  scene.cluster('west')
  scene.sessions.put(aSession('elsewhere', { cluster: 'east' }))
  scene.sessions.put(aSession('of-another', { user: 'ops@example.com' }))
  const decision = await scene.authorizer.decide('west', reading(dev))
  assert.deepEqual([decision.verdict, decision.source], ['noOpinion', 'none'])
  assert.deepEqual(scene.asked, [])
  assert.equal(await scene.authorizer.decide('west', reading(dev)), decision, 'put together once')
})

test('the link is there once, if something can be asked for and there is a page', async () => {
  const scene = authorizerScene()
  scene.cluster('west')
  const reason = async (groups: string[]) => (await scene.authorizer.decide('west', reading(dev, { groups }))).reason
  assert.doesNotMatch(await reason(['devs']), /search=/)
  scene.escalation('admins')
  assert.doesNotMatch(await reason(['devs']), /search=/)
  scene.settings.frontendUrl = link
  assert.equal((await reason(['devs'])).split(`${link}?search=west`).length, 2)
  assert.equal((await reason(['oidc:devs'])).split('search=').length, 2, 'without the prefix of tokens')
  assert.doesNotMatch(await reason(['sales']), /search=/)
  scene.escalations.remove('people/admins')
  assert.doesNotMatch(await reason(['devs']), /search=/)
  scene.escalation('everybody', { allowed: { clusters: ['w*'], groups: ['system:authenticated'] } })
  assert.match(await reason([]), /search=west$/)
})

test('users of the system, and the hub itself, are nobody to have an opinion on', async () => {
  const scene = authorizerScene()
  scene.cluster('west')
  scene.hubUsers.set('west', 'hub')
  for (const user of ['system:breakglass-session', 'system:auth-checker', 'system:node:a', 'hub']) {
    scene.sessions.put(aSession(`of-${user.replaceAll(':', '-')}`, { user }))
    const { verdict, source } = await scene.authorizer.decide('west', reading(user))
    assert.deepEqual([verdict, source], ['noOpinion', user === 'hub' ? 'hub-identity' : 'system-user'])
  }
  scene.cluster('east')
  scene.sessions.put(aSession('east', { user: 'hub', cluster: 'east' }))
  assert.equal((await scene.authorizer.decide('east', reading('hub'))).verdict, 'allowed', 'somebody else there')
  assert.equal(scene.asked.length, 1)
})

test('a cluster that nobody registered gets no opinion, and one that two registered gets none decided', async () => {
  const scene = authorizerScene()
  scene.sessions.put(aSession('one'))
  const { verdict, source, reason } = await scene.authorizer.decide('west', reading(dev))
  assert.deepEqual([verdict, source], ['noOpinion', 'cluster-missing'])
  assert.match(reason, /west is not registered/)
  scene.cluster('west', {}, 'a')
  assert.equal((await scene.authorizer.decide('west', reading(dev))).verdict, 'allowed')
  scene.cluster('west', {}, 'b')
  assert.throws(
    () => scene.authorizer.decide('west', reading(dev)),
    (error) => isFailure(error, 'ACCESS_CLUSTER_AMBIGUOUS'),
  )
  scene.configs.isSynced = false
  assert.throws(
    () => scene.authorizer.decide('west', reading(dev)),
    (error) => isFailure(error, 'ACCESS_NOT_READY'),
  )
})

test('a session ends at the instant, and by use it stays', async () => {
  const scene = authorizerScene()
  scene.cluster('west')
  scene.sessions.put(aSession('one', { idleTimeout: '10m' }))
  const verdict = async () => (await scene.authorizer.decide('west', reading(dev))).verdict
  assert.equal(await verdict(), 'allowed')
  await scene.clock.advance(9 * 60_000)
  assert.equal(await verdict(), 'allowed')
  await scene.clock.advance(10 * 60_000 - 1)
  assert.equal(await verdict(), 'allowed')
  await scene.clock.advance(10 * 60_000)
  assert.equal(await verdict(), 'noOpinion', 'idle')
  scene.sessions.put(aSession('two', { user: 'ops' }, { expiresAt: at(1_800) }))
  await scene.clock.jumpTo(new Date(at(1_799.999)))
  assert.equal((await scene.authorizer.decide('west', reading('ops'))).verdict, 'allowed')
  await scene.clock.jumpTo(new Date(at(1_800)))
  assert.equal((await scene.authorizer.decide('west', reading('ops'))).verdict, 'noOpinion')
})

test('a session that ends while the cluster is asked grants nothing any more', async () => {
  const scene = authorizerScene()
  scene.cluster('west')
  scene.sessions.put(aSession('one'))
  const answer = Promise.withResolvers<Review>()
  scene.answer = () => answer.promise
  const deciding = scene.authorizer.decide('west', reading(dev))
  scene.sessions.put(aSession('one', {}, { state: 'Expired', reasonEnded: 'canceled' }))
  answer.resolve({ answer: 'allowed' })
  assert.equal((await deciding).verdict, 'noOpinion')
  assert.deepEqual(scene.used, [])
})

test('of several sessions the one whose group may is named', async () => {
  const scene = authorizerScene({ oidcPrefixes: [] })
  scene.cluster('west')
  scene.sessions.put(aSession('a-viewer', { grantedGroup: 'viewers' }))
  scene.sessions.put(aSession('b-admin'))
  scene.answer = (_, groups) => ({ answer: groups.includes('admins') ? 'allowed' : 'refused' })
  assert.equal((await scene.authorizer.decide('west', reading(dev))).session?.name, 'b-admin')
  assert.deepEqual(
    scene.asked.map(({ groups }) => groups),
    [['viewers', 'admins'], ['viewers'], ['admins']],
  )
  scene.asked.length = 0
  scene.answer = () => ({ answer: 'refused' })
  const refused = await scene.authorizer.decide('west', reading(dev))
  assert.match(refused.reason, /None of your sessions a-viewer, b-admin covers this/)
  assert.equal(scene.asked.length, 1, 'one question is enough for no')
})

test('the answer is there at the total deadline, whatever is waited for', async () => {
  const scene = authorizerScene()
  scene.cluster('west')
  scene.sessions.put(aSession('one'))
  const never = new Promise<never>(() => {})
  scene.answer = () => never
  let decided: string | undefined
  void Promise.resolve(scene.authorizer.decide('west', reading(dev))).then(({ source }) => (decided = source))
  await scene.clock.advance(1_499)
  assert.equal(decided, undefined)
  await scene.clock.advance(1)
  assert.equal(decided, 'unverified')
  assert.equal(scene.clock.nextDue, undefined, 'no timer is left')

  decided = undefined
  scene.set = { isFor: () => true, mayMatch: () => true, evaluate: () => never, evaluateFor: () => never }
  void Promise.resolve(scene.authorizer.decide('west', reading(dev))).then(({ source }) => (decided = source))
  await scene.clock.advance(1_500)
  assert.equal(decided, 'policy-error')
})

const gold = { selectorTerms: [{ matchLabels: { tier: 'gold' } }] }

test('what a policy for everybody may forbid is denied to everybody while the cluster cannot say', async () => {
  const scene = authorizerScene()
  scene.cluster('west')
  scene.settings.onPolicyError = 'noOpinion'
  const rules = [{ verbs: ['*'], apiGroups: ['*'], resources: ['secrets'], namespaces: gold }]
  scene.policies.put({ metadata: { name: 'p', generation: 1 }, spec: { rules } })
  const never = () => new Promise<never>(() => {})
  scene.facts = { namespaceLabels: never, pod: never, isNamespaced: never }
  for (const withinMs of [1_500, 750, 100, 1]) {
    let made: Decision | undefined
    const deciding = Promise.resolve(scene.authorizer.decide('west', reading('who'), { withinMs }))
    void deciding.then((decision) => (made = decision))
    await scene.clock.advance(withinMs)
    assert.deepEqual([made?.verdict, made?.source], ['denied', 'policy-error'], `${withinMs} ms`)
  }
  scene.set = { isFor: () => true, mayMatch: () => true, evaluate: never, evaluateFor: never }
  const late = scene.authorizer.decide('west', reading('who'))
  await scene.clock.advance(1_500)
  const { verdict, source, reason } = await late
  assert.deepEqual([verdict, source], ['denied', 'policy-error'])
  assert.match(reason, /could not be found out in time/)
  assert.equal((await scene.authorizer.decide('west', reading('system:node:a'))).verdict, 'noOpinion')
})

test('labels and pod are asked for together, so that slow labels leave time for the pod', async () => {
  const scene = authorizerScene()
  scene.cluster('west')
  const rules = [{ verbs: ['*'], apiGroups: [''], resources: ['pods/exec'], namespaces: gold }]
  const podSecurityRules = { riskFactors: {}, thresholds: [{ maxScore: 100, action: 'allow' as const }] }
  scene.policies.put({ metadata: { name: 'a', generation: 1 }, spec: { precedence: 1, rules } })
  scene.policies.put({ metadata: { name: 'b', generation: 1 }, spec: { podSecurityRules } })
  const slowly = async <T>(value: T) => {
    await new Promise<void>((resolve) => scene.clock.countdown(700, resolve))
    return value
  }
  scene.facts = {
    ...scene.facts,
    namespaceLabels: () => slowly({}),
    pod: () => slowly({ spec: { containers: [] } }),
  }
  const resource = { group: '', version: 'v1', resource: 'pods', subresource: 'exec', namespace: 'shop', name: 'db' }
  const asked = reading('who', { verb: 'create', resource })
  let made: Decision | undefined
  void Promise.resolve(scene.authorizer.decide('west', asked)).then((decision) => (made = decision))
  await scene.clock.advance(700)
  assert.deepEqual([made?.verdict, made?.source], ['noOpinion', 'none'])
})

test('a hub that has lost touch with its API server grants nothing, and goes on forbidding', async () => {
  const lostAt = new Date(at(0))
  for (const lost of ['sessions', 'configs', 'tokens', 'policies'] as const) {
    const scene = authorizerScene()
    scene.cluster('west')
    scene.sessions.put(aSession('one', {}, { expiresAt: at(36_000) }))
    const rules = [{ verbs: ['delete'], apiGroups: ['*'], resources: ['secrets'] }]
    scene.policies.put({ metadata: { name: 'p', generation: 1 }, spec: { rules } })
    const found = async (user = dev, verb = 'get') => scene.authorizer.decide('west', reading(user, { verb }))
    scene[lost].lastHeard = lostAt
    await scene.clock.advance(149_999)
    assert.equal((await found()).verdict, 'allowed', 'it may be quiet')
    await scene.clock.advance(2_001)
    const { verdict, source, reason } = await found()
    assert.deepEqual(
      [verdict, source],
      lost === 'policies' ? ['denied', 'policy-error'] : ['noOpinion', 'unverified'],
      lost,
    )
    assert.match(reason, /lost touch with its own API server/)
    assert.equal((await found('who')).source, 'none')
    assert.equal((await found('who', 'delete')).verdict, 'denied', 'what was forbidden stays so')
    scene[lost].lastHeard = undefined
    assert.equal((await found()).verdict, 'allowed')
  }
})

test('a watch on which nothing happens is asked about, once for all, before anybody is refused for it', async () => {
  const scene = authorizerScene()
  scene.cluster('west')
  scene.sessions.put(aSession('one', {}, { expiresAt: at(36_000) }))
  let checks = 0
  const { sessions, clock } = scene
  sessions.lastHeard = new Date(at(0))
  sessions.check = async () => {
    checks += 1
    sessions.lastHeard = clock.now()
  }
  await clock.advance(74_999)
  assert.equal((await scene.authorizer.decide('west', reading(dev))).verdict, 'allowed')
  assert.equal(checks, 0)
  await clock.advance(1)
  assert.ok(!(scene.authorizer.decide('west', reading(dev)) instanceof Promise), 'nobody waits for it yet')
  await clock.settle()
  assert.equal(checks, 1)
  await clock.advance('1h')
  const many = await Promise.all([1, 2, 3].map(() => scene.authorizer.decide('west', reading(dev))))
  for (const { verdict } of many) assert.equal(verdict, 'allowed', 'after a long pause it is asked first')
  assert.equal(checks, 2)

  sessions.check = () => new Promise(() => {})
  await clock.advance('1h')
  const waiting = scene.authorizer.decide('west', reading(dev))
  assert.ok(waiting instanceof Promise)
  await clock.advance(300)
  assert.equal((await waiting).source, 'unverified')
  const next = scene.authorizer.decide('west', reading(dev))
  assert.ok(!(next instanceof Promise), 'not everybody waits for a server that is away')
  assert.equal(next.source, 'unverified')
})

test('a cluster that cannot be asked is told, with the session', async () => {
  const scene = authorizerScene()
  scene.cluster('west')
  scene.sessions.put(aSession('one'))
  scene.answer = () => ({ answer: 'unknown', why: 'the cluster did not answer in time' })
  const { verdict, source, reason } = await scene.authorizer.decide('west', reading(dev))
  assert.deepEqual([verdict, source], ['noOpinion', 'unverified'])
  assert.match(reason, /session one may cover this, but that could not be verified: the cluster did not answer in time/)
})

test('a session of another issuer does not count, unless it may', async () => {
  const scene = authorizerScene()
  scene.cluster('west')
  scene.provider('a', 'https://a.example.com', 'Provider A')
  scene.provider('b', 'https://b.example.com', 'Provider B')
  const spec = { identityProviderName: 'a', identityProviderIssuer: 'https://a.example.com' }
  scene.sessions.put(aSession('one', spec))
  const from = (issuer: string) => scene.authorizer.decide('west', reading(dev, { issuer }))
  assert.equal((await from('https://a.example.com')).verdict, 'allowed')
  const other = await from('https://b.example.com')
  assert.deepEqual([other.verdict, other.source], ['noOpinion', 'provider-mismatch'])
  assert.match(other.reason, /one was given to somebody of another identity provider/)
  assert.doesNotMatch(other.reason, /Provider [AB]|example\.com/)
  scene.settings.hardenedProviderHints = false
  assert.match((await from('https://b.example.com')).reason, /Provider A, Provider B/)
  scene.sessions.put(aSession('one', { ...spec, allowIDPMismatch: true }))
  assert.equal((await from('https://b.example.com')).verdict, 'allowed')
  scene.cluster('west', { identityProviderRefs: ['a'] })
  assert.equal((await from('https://b.example.com')).verdict, 'noOpinion', 'the cluster takes users of a only')
  assert.equal((await from('https://a.example.com')).verdict, 'allowed')
  scene.cluster('west', { identityProviderRefs: ['b'] })
  assert.equal((await from('https://a.example.com')).verdict, 'noOpinion')
  const nobody = await scene.authorizer.decide('west', reading('who', { issuer: 'https://a.example.com' }))
  assert.match(nobody.reason, /is not set up for this cluster\. Those that are: Provider B\./)
})

test('a policy forbids to everybody, a policy of a session what that one grants', async () => {
  const scene = authorizerScene()
  scene.cluster('west')
  const rules = [{ verbs: ['get'], apiGroups: ['*'], resources: ['secrets'] }]
  scene.policies.put({ metadata: { name: 'held' }, spec: { appliesTo: { sessions: ['nobody-is-called-so'] }, rules } })
  scene.sessions.put(aSession('one', { denyPolicyRefs: ['held'] }))
  const bySession = await scene.authorizer.decide('west', reading(dev))
  assert.deepEqual([bySession.verdict, bySession.source, bySession.policy], ['denied', 'policy', 'held'])
  assert.equal((await scene.authorizer.decide('west', reading('who'))).verdict, 'noOpinion')
  assert.equal((await scene.authorizer.decide('west', reading(dev), { scope: 'policies' })).verdict, 'noOpinion')
  scene.sessions.put(aSession('two', { grantedGroup: 'others' }))
  assert.equal((await scene.authorizer.decide('west', reading(dev))).session?.name, 'two')
  scene.policies.put({ metadata: { name: 'all' }, spec: { rules } })
  for (const scope of ['all', 'policies'] as const) {
    const { verdict, policy } = await scene.authorizer.decide('west', reading('who'), { scope })
    assert.deepEqual([verdict, policy], ['denied', 'all'])
  }
  assert.equal((await scene.authorizer.decide('west', reading('system:node:a'))).verdict, 'noOpinion')
})

test('where policies cannot be read, those who hold a session are denied, or nobody is', async () => {
  const scene = authorizerScene()
  scene.cluster('west')
  scene.sessions.put(aSession('one'))
  const failing = () => {
    throw new Error('broken')
  }
  for (const set of [undefined, { isFor: () => true, mayMatch: () => true, evaluate: failing, evaluateFor: failing }]) {
    scene.set = set
    scene.settings.onPolicyError = 'deny'
    const denied = await scene.authorizer.decide('west', reading(dev))
    assert.deepEqual([denied.verdict, denied.source], ['denied', 'policy-error'])
    assert.equal((await scene.authorizer.decide('west', reading('who'))).verdict, 'noOpinion')
    assert.equal((await scene.authorizer.decide('west', reading('system:node:a'))).source, 'system-user')
    scene.settings.onPolicyError = 'noOpinion'
    assert.equal((await scene.authorizer.decide('west', reading(dev))).verdict, 'noOpinion')
  }
})

test('no session lets anybody act as everybody', async () => {
  const scene = authorizerScene()
  scene.cluster('west')
  scene.sessions.put(aSession('one'))
  const resource = {
    group: '',
    version: 'v1',
    resource: 'groups',
    subresource: '',
    namespace: '',
    name: 'system:masters',
  }
  const { verdict, reason } = await scene.authorizer.decide('west', reading(dev, { verb: 'impersonate', resource }))
  assert.equal(verdict, 'noOpinion')
  assert.match(reason, /system:masters/)
  assert.deepEqual(scene.asked, [])
})
