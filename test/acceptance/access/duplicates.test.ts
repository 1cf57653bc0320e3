/** Several sessions of one slot, which only hands can make: all but one of them end, and never that one too. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { BreakglassSession } from '../../../src/apis/breakglass/breakglass-session.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import type { BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

/** The same, but for who looks for a session: that one has its answer when `answered` says so. */
const answeringLate = (kube: Kube, answered: (name: string) => Promise<void>): Kube => ({
  request: kube.request.bind(kube),
  of(resource, namespace) {
    const collection = kube.of(resource, namespace)
    if (resource.plural !== BreakglassSession.resource.plural) return collection
    return new Proxy(collection, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target)
        if (key !== 'find') return typeof value === 'function' ? value.bind(target) : value
        const find: typeof target.find = async (name, options) => {
          const found = await target.find(name, options)
          await answered(name)
          return found
        }
        return find
      },
    })
  },
})

describe('several sessions of one slot', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let scene: BreakglassScene
  let answered: (name: string) => Promise<void> = async () => {}
  before(async () => {
    timed = await timedPlane(suite)
    const hub = answeringLate(kubeClient(suite, timed.plane.connection()), (name) => answered(name))
    scene = await breakglassScene(suite, timed.plane, { clock: timed.clock, hub })
  })

  type Story = Awaited<ReturnType<BreakglassScene['story']>>
  const byHand = async ({ cluster, group }: Story): Promise<string> => {
    const metadata = { name: uniqueName('by-hand') }
    const spec = { cluster, user: 'dev@example.com', grantedGroup: group }
    return (await scene.admin.of(BreakglassSession.resource, scene.namespace).create({ metadata, spec })).metadata.name
  }

  test('one that goes further while it is being ended ends the other, and stays', async () => {
    const story = await scene.story()
    const older = await byHand(story)
    await scene.reaches(older, 'Pending')
    // Who tells people of it looks at it as well.
    await eventually('it is told', async () => (await scene.session(older)).status?.told === 1)

    const [asked, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    answered = async (name) => {
      if (name !== older) return
      answered = async () => {}
      asked.resolve()
      await goOn.promise
    }
    const newer = await byHand(story)
    await asked.promise
    // Here the hub has found that the newer one must end, and has not done so yet.
    const { status, body } = await story.lead.act(newer, 'approve')
    assert.equal(status, 200, JSON.stringify(body))
    const ended = await scene.reaches(older, 'Expired')
    assert.equal(ended.status?.reasonEnded, 'duplicateCleanup')
    goOn.resolve()

    // One more ends only by one that lives.
    const last = await scene.reaches(await byHand(story), 'Expired')
    assert.equal(last.status?.reasonEnded, 'duplicateCleanup')
    assert.equal((await scene.session(newer)).status?.state, 'Approved')
  })
})
