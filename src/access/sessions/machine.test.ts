/** Whatever people do, in whatever order and at whatever times: what must be so of a session, is. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { SessionSpec } from '../../apis/breakglass/breakglass-session.ts'
import { BreakglassSession } from '../../apis/breakglass/breakglass-session.ts'
import { emergency } from './beginning.ts'
import type { Action, ActionFacts, Session } from './contract.ts'
import { decide } from './decide.ts'
import { dueAt } from './elapsing.ts'
import { standingOf } from './standing.ts'
import { isTerminal, mayBecome, stateOf } from './states.ts'
import { anEscalation, aPerson, aSession, at, dev, facts, lead, other, text } from './testing/builders.ts'
import { timeOf } from './times.ts'

const people = [dev, lead, other, aPerson('stranger')]
const by = fc.constantFrom(...people)
const seconds = fc.constantFrom(59, 60, 600, 3_600, 7_200, 20_000)
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Action>({ do: 'elapse' }) },
  fc.record({ do: fc.constant('approve' as const), by, seconds }, { requiredKeys: ['do', 'by'] }),
  fc.record({ do: fc.constant('approve' as const), by: fc.constant(lead) }),
  fc.record({ do: fc.constant('reject' as const), by }),
  fc.record({ do: fc.constantFrom('withdraw' as const, 'drop' as const), by }),
  fc.record({ do: fc.constant('cancel' as const), by }),
  fc.record({ do: fc.constant('extend' as const), by, seconds }),
  fc.record({ do: fc.constant('review' as const), by, verdict: fc.constant('Justified' as const) }),
  fc.constant<Action>({ do: 'end', why: 'duplicateCleanup', seen: aSession().metadata.resourceVersion }),
)
const step = fc.record({ wait: fc.constantFrom(0, 0, 1, 30, 300, 1_800, 4_000, 300_000), action, used: fc.boolean() })
const spec: fc.Arbitrary<Partial<SessionSpec>> = fc.record(
  {
    maxValidFor: fc.constantFrom('10m', '1h', '4h'),
    minApprovals: fc.constantFrom(1, 2),
    idleTimeout: fc.constantFrom('5m', '1h'),
    scheduledStartTime: fc.constantFrom(text(600), text(7_200)),
  },
  { requiredKeys: ['maxValidFor'] },
)
const maxValidMs = 4 * 3_600_000

interface World {
  session: Session
  now: number
  used: Date | undefined
  /** Who approved since it was last granted something. */
  agreed: Set<string>
}

function factsOf({ now, used }: World): ActionFacts {
  const approvers = { users: people.slice(0, 3).map(({ email = '' }) => email) }
  const escalations = [anEscalation({ approvers, maxExtensions: 2 })]
  return facts(now, { escalations, ...(used && { lastActivity: used }) })
}

function take(world: World, next: Action): void {
  const { session: before } = world
  const transition = decide(before, next, factsOf(world))
  if ('refused' in transition) {
    const { status } = transition.refused
    assert.ok(status >= 400 && status < 500)
    return
  }
  if (!transition.status) return
  const session = { ...before, status: transition.status }
  world.session = session
  const [from, to] = [stateOf(before), stateOf(session)]
  assert.ok(mayBecome(from, to, session.spec), `${from} to ${to}`)
  if (isTerminal(from)) assert.deepEqual([to, session.status.expiresAt], [from, before.status?.expiresAt])
  if (isTerminal(to)) assert.ok(session.status.retainedUntil && session.status.reasonEnded)
  const grew = (session.status.history?.length ?? 0) - (before.status?.history?.length ?? 0)
  assert.ok(grew >= 1, 'what happens is on record')
  assert.ok(session.status.history?.every(({ seq }, index) => seq === index + 1))
  const gotMore = (timeOf(session.status.expiresAt) ?? at(0)) > (timeOf(before.status?.expiresAt) ?? at(0))
  if (next.do === 'approve') world.agreed.add(next.by.email ?? '')
  if (gotMore) {
    assert.equal(next.do, 'approve', 'only approval gives time')
    const needed = session.spec.minApprovals ?? 1
    if (needed > 1) world.agreed.delete(dev.email ?? '')
    assert.ok(world.agreed.size >= needed, 'nothing without approval')
    world.agreed.clear()
  }
}

/** As the schema has it: what is written is taken. */
function checkFields({ session }: World): void {
  const unknown = BreakglassSession.check(
    { apiVersion: 'breakglass.t-caas.telekom.com/v1alpha1', kind: 'BreakglassSession', ...session },
    { strict: true },
  )
  assert.deepEqual(unknown, [])
}

function check({ session, now, used }: World): void {
  const standing = standingOf(session, at(now), used)
  const { spec, status = {} } = session
  if (!standing.live || !standing.grants) return
  assert.equal(status.state, 'Approved')
  const [expiresAt, began] = [timeOf(status.expiresAt), timeOf(status.actualStartTime)]
  assert.ok(expiresAt && began && began <= at(now) && at(now) < expiresAt)
  assert.ok(standing.until && at(now) < standing.until && standing.until <= expiresAt)
  const since = Math.max(timeOf(status.approvedAt)?.getTime() ?? 0, timeOf(spec.scheduledStartTime)?.getTime() ?? 0)
  assert.ok(expiresAt.getTime() - since <= maxValidMs, 'never longer than the escalation lets anybody')
  assert.ok(status.review ?? (status.approvals?.length ?? 0) >= (spec.minApprovals ?? 1))
}

test('no sequence of actions grants anything that was not approved, or for longer, or leaves an end', () => {
  fc.assert(
    fc.property(spec, fc.array(step, { maxLength: 25 }), (given, steps) => {
      const world: World = { session: aSession(undefined, given), now: 0, used: undefined, agreed: new Set() }
      take(world, { do: 'elapse' })
      for (const { wait, action: next, used } of steps) {
        world.now += wait
        if (used && standingOf(world.session, at(world.now), world.used).live) world.used = at(world.now)
        take(world, next)
        check(world)
      }
      checkFields(world)
    }),
    { numRuns: 1_000 },
  )
})

test('when something is due the clock does it, and then nothing is due before it is', () => {
  fc.assert(
    fc.property(spec, fc.boolean(), fc.array(step, { maxLength: 15 }), (given, isEmergency, steps) => {
      const world: World = { session: aSession(undefined, given), now: 0, used: undefined, agreed: new Set() }
      if (isEmergency) {
        const { scheduledStartTime: _none, ...rest } = given
        const session = aSession(undefined, { ...rest, emergency: true })
        world.session = { ...session, status: emergency(session, anEscalation(), at(0)) }
      }
      for (const { wait, action: next } of steps) {
        world.now += wait
        const due = dueAt(world.session, world.used)
        const elapsed = decide(world.session, { do: 'elapse' }, factsOf(world))
        assert.ok('status' in elapsed)
        assert.equal(elapsed.status !== undefined, due !== undefined && due <= at(world.now))
        take(world, next)
        for (let turns = 0; turns < 4; turns += 1) take(world, { do: 'elapse' })
        const left = dueAt(world.session, world.used)
        assert.ok(left === undefined || left > at(world.now))
      }
    }),
    { numRuns: 1_000 },
  )
})
