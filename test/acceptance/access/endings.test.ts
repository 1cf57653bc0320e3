/** Who ends a session, when, and what becomes of it. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Answer, BreakglassScene, TestPerson } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

describe('how sessions end', needsControlPlane, () => {
  const suite = suiteScope()
  const limits = { perMinute: 100_000, burst: 10_000, requestsPerMinute: 10_000, reviewsPerSecond: 1_000_000 }
  let timed: TimedPlane
  let scene: BreakglassScene
  before(async () => {
    timed = await timedPlane(suite)
    scene = await breakglassScene(suite, timed.plane, { clock: timed.clock, settings: { limits } })
  })

  test('A54: withdraw, drop and cancel are for some people and some states, and all else changes nothing', async () => {
    const { cluster, group, dev, lead } = await scene.story()
    const people = { dev, lead, stranger: scene.person('stranger@example.com', { groups: ['devs'] }) }
    const scheduledStartTime = () => new Date(timed.clock.now().getTime() + 1_800_000).toISOString()
    const made = async (more = {}): Promise<string> => {
      const answer: Answer = await dev.request(cluster, group, more)
      assert.equal(answer.status, 201, JSON.stringify(answer.body))
      return answer.body.metadata.name
    }
    const after = async (name: string, who: TestPerson, what: string, more = {}) => {
      const answer = await who.act(name, what, more)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return name
    }
    const begin = {
      Pending: () => made(),
      Approved: async () => after(await made(), lead, 'approve'),
      WaitingForScheduledTime: async () =>
        after(await made({ scheduledStartTime: scheduledStartTime() }), lead, 'approve'),
      Rejected: async () => after(await made(), lead, 'reject', { reason: 'no' }),
    }
    type State = keyof typeof begin
    type Outcome = readonly [state: string, reasonEnded: string] | number
    const all = (outcome: Outcome): Record<State, Outcome> => ({
      ...{ Pending: outcome, Approved: outcome, WaitingForScheduledTime: outcome, Rejected: outcome },
    })
    const withdrawn = ['Withdrawn', 'withdrawn'] as const
    const dropped = ['Expired', 'dropped'] as const
    const canceled = ['Expired', 'canceled'] as const
    const table: [what: string, who: keyof typeof people, outcomes: Record<State, Outcome>][] = [
      ['withdraw', 'dev', { ...all(400), Pending: withdrawn }],
      ['withdraw', 'lead', all(403)],
      ['drop', 'dev', { Pending: withdrawn, Approved: dropped, WaitingForScheduledTime: dropped, Rejected: 400 }],
      ['drop', 'stranger', all(403)],
      ['cancel', 'lead', { Pending: 400, Approved: canceled, WaitingForScheduledTime: canceled, Rejected: 400 }],
      ['cancel', 'dev', all(403)],
    ]
    for (const [what, who, outcomes] of table)
      for (const [state, outcome] of Object.entries(outcomes) as [State, Outcome][]) {
        const name = await begin[state]()
        const before = await scene.session(name)
        const answer = await people[who].act(name, what)
        const { status, metadata } = await scene.session(name)
        const said = `${who} and ${what} of what is ${state}: ${JSON.stringify(answer.body)}`
        if (typeof outcome === 'number') {
          assert.equal(answer.status, outcome, said)
          assert.deepEqual([status?.state, status?.expiresAt], [state, before.status?.expiresAt], said)
          assert.equal(status?.history?.length, before.status?.history?.length, said)
        } else {
          assert.equal(answer.status, 200, said)
          assert.deepEqual([status?.state, status?.reasonEnded], outcome, said)
          const endsAt = new Date(status?.expiresAt ?? 0)
          assert.ok(endsAt <= timed.clock.now(), said)
          assert.ok(status?.retainedUntil, said)
        }
        assert.ok(metadata.uid)
        if (typeof outcome === 'number' && state !== 'Rejected') await dev.act(name, 'drop')
      }
  })

  test('what was given up or taken away grants nothing from that moment', async () => {
    for (const [who, what] of [
      ['dev', 'drop'],
      ['lead', 'cancel'],
    ] as const) {
      const story = await scene.story()
      const { cluster, group, dev, lead } = story
      const { body } = await dev.request(cluster, group)
      await lead.act(body.metadata.name, 'approve')
      const allowed = async () => (await scene.ask(cluster, 'dev@example.com')).body.status.allowed
      // The hub may hear of its own write after us.
      await eventually('it grants', allowed)
      assert.equal((await story[who].act(body.metadata.name, what)).status, 200)
      await eventually('it grants nothing', async () => (await allowed()) === false)
    }
  })
})
