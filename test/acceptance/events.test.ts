/** Events as a real API takes them and as `kubectl describe` asks for them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { reasonCatalogue } from '../../src/core/reason.ts'
import { eventRecorder } from '../../src/kube/events.ts'
import { clusterRoles, configMaps, events } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { KubeObject, Stored } from '../../src/kube/objects.ts'
import { aClusterRole, aConfigMap, uniqueName } from '../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../support/control-plane.ts'
import { freshNamespace } from '../support/fresh-namespace.ts'
import { kubeClient } from '../support/kube-client.ts'
import { teardown } from '../support/test-scope.ts'

const reasons = reasonCatalogue({ Renewed: 'the pass was renewed', Denied: 'the request was denied' })

/** As `kubectl describe` selects them. */
const about = async (kube: Kube, { metadata }: Stored<KubeObject>, namespace: string) => {
  const fieldSelector = `involvedObject.name=${metadata.name},involvedObject.uid=${metadata.uid}`
  const { items } = await kube.of(events, namespace).list({ fieldSelector })
  return items.map(({ type, reason, message, count, source }) => [type, reason, message, count, source?.component])
}

describe('an event', needsControlPlane, () => {
  test('is found by its object, and the same one again is counted, also after a restart', async (t) => {
    const kube = kubeClient(t, (await startControlPlane(t)).connection())
    const namespace = await freshNamespace(t, kube)
    const object = await kube.of(configMaps, namespace).create(aConfigMap('a'))
    const start = () => eventRecorder(kube, { clock: systemClock, log: silentLog, component: 'lanyard-hub' })
    const first = start()
    for (const recorder of [first, first, start()]) {
      recorder.record(configMaps, object, { type: 'Warning', reason: reasons.Denied, message: 'ask again' })
      await recorder.flush()
    }
    assert.deepEqual(await about(kube, object, namespace), [['Warning', 'Denied', 'ask again', 3, 'lanyard-hub']])
  })

  test('about something without a namespace, and with a name that events may not have, is in default', async (t) => {
    const kube = kubeClient(t, (await startControlPlane(t)).connection())
    const role = await kube.of(clusterRoles).create(aClusterRole(uniqueName('test:with:colons')))
    teardown(t, async () => {
      await kube.of(clusterRoles).delete(role.metadata.name)
    })
    const recorder = eventRecorder(kube, { clock: systemClock, log: silentLog, component: 'lanyard-hub' })
    recorder.record(clusterRoles, role, { reason: reasons.Renewed, message: 'for an hour' })
    await recorder.flush()
    assert.deepEqual(await about(kube, role, 'default'), [['Normal', 'Renewed', 'for an hour', 1, 'lanyard-hub']])
  })
})
