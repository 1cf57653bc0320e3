import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { kubeFailure, MemoryKube } from '../../../test/support/memory-kube.ts'
import type { Intercept } from '../../../test/support/memory-kube-parts.ts'
import { BreakglassEscalation } from '../../apis/breakglass/breakglass-escalation.ts'
import { BreakglassSession } from '../../apis/breakglass/breakglass-session.ts'
import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { CheckpointName } from '../../core/checkpoint.ts'
import { isFailure } from '../../core/failure.ts'
import type { Stored } from '../../kube/objects.ts'
import { clusterFinalizer } from '../names.ts'
import { defaultAccessSettings } from '../settings.ts'
import type { Action, Escalation, RequestFacts, Session, Wish } from './contract.ts'
import { numberOf } from './slot.ts'
import type { SessionStoreDeps } from './store.ts'
import { createSessionStore } from './store.ts'
import { aCluster, anEscalation, dev, lead, requestFacts, start } from './testing/builders.ts'

const wish: Wish = { cluster: 'prod', group: 'ops' }
const approve: Action = { do: 'approve', by: lead }
const passOn: Intercept = (_call, proceed) => proceed()

/** A hub with one cluster and one escalation; `replica` is another store on the same API server. */
async function scene(spec: Partial<Escalation['spec']> = {}) {
  const clock = new FakeClock(start)
  const kube = new MemoryKube(clock)
  const sessions = kube.of(BreakglassSession.resource, 'access')
  const escalation = await kube.of(BreakglassEscalation.resource, 'access').create(anEscalation(spec))
  const cluster = await kube.of(ClusterConfig.resource, 'access').create(aCluster())
  const passed: CheckpointName[] = []
  const replica = (intercept: Intercept = passOn) => {
    const deps = {
      kube: kube.through(intercept),
      clock,
      checkpoint: (name: CheckpointName) => void passed.push(name),
      settings: () => defaultAccessSettings,
      lastUsed: () => undefined,
      view: { escalations: { get: () => escalation, byIndex: () => [escalation] } },
      spokeView: { configs: { byIndex: () => [cluster] } },
    }
    return createSessionStore(deps as unknown as SessionStoreDeps)
  }
  const facts = (more: Partial<RequestFacts> = {}): RequestFacts =>
    requestFacts({ escalations: [escalation], clusters: [cluster], ...more })
  const made = async (outcome: Promise<{ made: Session } | { exists: Session }>): Promise<Session> => {
    const result = await outcome
    assert.ok('made' in result, 'one is made')
    return result.made
  }
  return { clock, kube, sessions, cluster, escalation, passed, replica, facts, made, store: replica() }
}
const placeOf = ({ metadata }: Session) => ({ namespace: metadata.namespace ?? '', name: metadata.name })
const refusal = (code: string) => (error: unknown) => isFailure(error, code)

describe('a request', () => {
  test('makes a session in two writes, after the cluster is kept from going before it', async () => {
    const { store, facts, made, passed, kube, sessions } = await scene()
    const { metadata, status } = await made(store.request(wish, facts()))
    assert.equal(status?.state, 'Pending')
    assert.deepEqual(status?.timeoutAt, '2026-03-01T13:00:00Z')
    assert.deepEqual(passed, ['access.finalizer-added', 'access.session-made', 'access.session-written'])
    const config = await kube.of(ClusterConfig.resource, 'access').get('prod')
    assert.deepEqual(config.metadata.finalizers, [clusterFinalizer])
    assert.equal((await sessions.get(metadata.name)).metadata.ownerReferences?.[0]?.controller, true)
  })

  test('that is refused writes nothing', async () => {
    const { store, facts, kube } = await scene()
    await assert.rejects(store.request({ ...wish, seconds: 1 }, facts()), refusal('ACCESS_TOO_SHORT'))
    await assert.rejects(store.request({ ...wish, group: 'admins' }, facts()), refusal('ACCESS_NO_ESCALATION'))
    assert.equal(kube.count('create', 'patch', 'update'), 2, 'those of the scene')
  })

  test('for a cluster that is on its way out is refused', async () => {
    const { store, facts, kube } = await scene()
    await kube.of(ClusterConfig.resource, 'access').delete('prod')
    await assert.rejects(store.request(wish, facts()), refusal('ACCESS_CLUSTER_LEAVING'))
  })

  test('in a slot that is taken gets the session that has it, before anything else is wrong with it', async () => {
    const { store, facts, made } = await scene({ sessionLimitsOverride: { maxActiveSessionsPerUser: 1 } })
    const first = await made(store.request(wish, facts()))
    const again = await store.request({ ...wish, seconds: 1 }, facts({ sessions: [first] }))
    assert.deepEqual(again, { exists: first })
    await assert.rejects(
      store.request({ ...wish, group: 'ops' }, facts({ sessions: [first], person: { ...dev, email: 'b@c' } })),
      refusal('ACCESS_TOO_MANY'),
    )
  })

  test('in a slot that was taken by hand, without its label, gets that session too', async () => {
    const { store, facts, sessions } = await scene()
    const spec = { cluster: 'prod', user: 'dev@example.com', grantedGroup: 'ops' }
    const byHand = await sessions.create({ metadata: { name: 'by-hand' }, spec })
    assert.deepEqual(await store.request(wish, facts({ sessions: [byHand] })), { exists: byHand })
  })

  test('after the last one ended makes the next', async () => {
    const { store, facts, made } = await scene()
    const first = await made(store.request(wish, facts()))
    await store.act(placeOf(first), { do: 'withdraw', by: dev })
    const second = await made(store.request(wish, facts()))
    const slot = second.metadata.labels?.['lanyard.io/slot'] ?? ''
    assert.deepEqual(
      [first, second].map(({ metadata }) => numberOf(metadata.name, slot)),
      [1, 2],
    )
  })

  test('after the last one is over by the clock writes that down first', async () => {
    const { store, facts, made, clock, sessions } = await scene()
    const first = await made(store.request(wish, facts()))
    await clock.advance('1h')
    await made(store.request(wish, facts()))
    assert.equal((await sessions.get(first.metadata.name)).status?.state, 'ApprovalTimeout')
  })

  test('after one that was idle as far as this replica knew, and is not, gets that one', async () => {
    const { replica, store, facts, made, clock, sessions } = await scene({ idleTimeout: '10m' })
    const first = await made(store.request(wish, facts()))
    await store.act(placeOf(first), approve)
    await clock.advance('10m')
    const used: Intercept = async ({ verb }, proceed) => {
      const answer = await proceed()
      if (verb === 'list') {
        const session = await sessions.get(first.metadata.name)
        const lastActivity = clock.now().toISOString()
        await sessions.update({ ...session, status: { ...session.status, lastActivity } }, { subresource: 'status' })
      }
      return answer
    }
    const outcome = await replica(used).request(wish, facts())
    assert.ok('exists' in outcome)
    assert.equal((await sessions.list()).items.length, 1)
  })

  test('of many at once at several replicas makes one session', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { replica, facts, sessions } = await scene()
      const stagger: Intercept = async (_call, proceed) => {
        for (let turns = Math.floor((round * 7 + sessionsAsked++ * 3) % 5); turns > 0; turns -= 1) await null
        return proceed()
      }
      let sessionsAsked = 0
      const asked = Array.from({ length: 8 }, () => replica(stagger).request(wish, facts()))
      const outcomes = await Promise.all(asked)
      assert.equal(outcomes.filter((outcome) => 'made' in outcome).length, 1)
      assert.equal((await sessions.list()).items.length, 1)
    }
  })

  test('does not make a session on the word of a list that is old', async () => {
    const { replica, facts, clock, sessions, kube } = await scene()
    let lists = 0
    const slow: Intercept = async ({ verb }, proceed) => {
      const answer = await proceed()
      if (verb === 'list' && lists++ === 0) await clock.advance('21s')
      return answer
    }
    await replica(slow).request(wish, facts())
    assert.equal(lists, 2)
    assert.equal((await sessions.list()).items.length, 1)
    assert.ok(kube.count('create') === 3)
  })

  test('that died between its two writes heals: the clock brings it to Pending, and it grants nothing meanwhile', async () => {
    const { replica, store, facts, sessions, clock } = await scene()
    const dying: Intercept = async ({ verb }, proceed) => {
      if (verb === 'update') throw new Error('killed')
      return proceed()
    }
    await assert.rejects(replica(dying).request(wish, facts()))
    const [left] = (await sessions.list()).items
    assert.ok(left && left.status === undefined)
    assert.deepEqual(await store.request(wish, facts()), { exists: left })
    await clock.advance('10m')
    const healed = await store.act(placeOf(left), { do: 'elapse' })
    assert.deepEqual([healed.status?.state, healed.status?.timeoutAt], ['Pending', '2026-03-01T13:00:00Z'])
  })
})

describe('an emergency', () => {
  const bypass = { emergencyBypass: { enabled: true } }
  const fire = { ...wish, emergency: true, reason: 'fire' }
  test('begins at once', async () => {
    const { store, facts, made } = await scene(bypass)
    const { status } = await made(store.request(fire, facts()))
    assert.deepEqual([status?.state, status?.review?.dueAt], ['Approved', '2026-03-04T12:00:00Z'])
  })

  test('begins also where a controller was faster and brought it to Pending', async () => {
    const { replica, store, facts, made } = await scene(bypass)
    const overtaken: Intercept = async ({ verb, name }, proceed) => {
      if (verb === 'update' && !isOvertaken && name) {
        isOvertaken = true
        await store.act({ namespace: 'access', name }, { do: 'elapse' })
      }
      return proceed()
    }
    let isOvertaken = false
    const { status } = await made(replica(overtaken).request(fire, facts()))
    assert.equal(isOvertaken, true)
    assert.deepEqual(
      status?.history?.map(({ transition }) => transition),
      ['requested', 'emergency'],
    )
    assert.deepEqual([status?.state, status?.timeoutAt], ['Approved', undefined])
  })

  test('that died before it began begins when it is asked for again', async () => {
    const { replica, store, facts, made, sessions } = await scene({
      ...bypass,
      sessionLimitsOverride: { maxActiveSessionsPerUser: 1 },
    })
    const dying: Intercept = async ({ verb }, proceed) => {
      if (verb === 'update') throw new Error('killed')
      return proceed()
    }
    await assert.rejects(replica(dying).request(fire, facts()))
    const { items } = await sessions.list()
    assert.ok('exists' in (await store.request(wish, facts({ sessions: items }))), 'in the usual way it is in the way')
    const { status } = await made(store.request(fire, facts({ sessions: items })))
    assert.equal(status?.state, 'Approved')
  })
})

describe('an action', () => {
  test('is decided on what the server has, again where another was first', async () => {
    const { store, replica, facts, made } = await scene({ minApprovals: 2 })
    const session = await made(store.request(wish, facts()))
    const racing: Intercept = async ({ verb }, proceed) => {
      if (verb === 'update' && !hasRaced) {
        hasRaced = true
        await store.act(placeOf(session), { do: 'approve', by: { ...lead, email: 'other@example.com', subject: 'o' } })
      }
      return proceed()
    }
    let hasRaced = false
    const { status } = await replica(racing).act(placeOf(session), approve)
    assert.deepEqual([status?.state, status?.approvers], ['Approved', ['other@example.com', 'lead@example.com']])
  })

  test('on a session that nobody has looked at brings it to Pending first', async () => {
    const { store, sessions } = await scene()
    const spec = { cluster: 'prod', user: 'dev@example.com', grantedGroup: 'ops' }
    await sessions.create({ metadata: { name: 'by-hand' }, spec })
    const { status } = await store.act({ namespace: 'access', name: 'by-hand' }, approve)
    assert.deepEqual(
      status?.history?.map(({ transition }) => transition),
      ['requested', 'approved'],
    )
  })

  test('on what is not there is refused, and so is one that others always overtake', async () => {
    const { store, replica, facts, made } = await scene()
    await assert.rejects(store.act({ namespace: 'access', name: 'none' }, approve), refusal('ACCESS_SESSION_GONE'))
    const session = await made(store.request(wish, facts()))
    const stormy: Intercept = async ({ verb }, proceed) => {
      if (verb === 'update') throw kubeFailure(409, 'Conflict')
      return proceed()
    }
    await assert.rejects(replica(stormy).act(placeOf(session), approve), refusal('ACCESS_BUSY'))
  })

  test('that is refused or changes nothing writes nothing', async () => {
    const { store, facts, made, kube } = await scene()
    const session: Stored<BreakglassSession> = await made(store.request(wish, facts()))
    const before = kube.count('update', 'patch')
    await assert.rejects(store.act(placeOf(session), { do: 'cancel', by: lead }), refusal('ACCESS_WRONG_STATE'))
    assert.deepEqual(await store.act(placeOf(session), { do: 'elapse' }), session)
    assert.equal(kube.count('update', 'patch'), before)
  })
})
