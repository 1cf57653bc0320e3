import assert from 'node:assert/strict'
import { test } from 'node:test'
import { letIn, loginsOf } from '../../support/pull-secret-logins.ts'
import { clusterC, pullSecretScene, tester } from '../../support/pull-secret-scene.ts'

const hosts = ['cloud.openshift.com', 'quay.io', 'registry.connect.redhat.com', 'registry.redhat.io']

test('a process that is killed anywhere in a rotation is followed by one that ends it, with nothing left over', async (t) => {
  const places = [
    'pull.rotation-begun',
    'pull.intent-planned',
    'pull.account-made',
    'pull.credential-stored',
    'pull.flipped',
    'pull.revoking-marked',
    'pull.account-removed',
    'pull.row-removed',
    'pull.rotation-ended',
  ]
  const scene = await pullSecretScene(t)
  for (const place of places) {
    const { pullSecret: old } = await scene.service.issuing.generate({ cluster: clusterC }, tester)
    const { rotation } = await scene.service.rotating.request(
      { clusterId: clusterC.id, reason: 'manual', forceImmediate: true },
      tester,
    )
    const killed = new Error('killed')
    let isDead = false
    const doomed = await scene.pod({
      checkpoint: (name) => {
        isDead ||= name === place
        if (isDead) throw killed
      },
    })
    await doomed.tick('rotation')
    await scene.clock.advance('2h')
    await scene.tick('sweep')
    await scene.tick('rotation')
    await scene.clock.advance('2h')
    await scene.tick('rotation')
    await scene.tick('expiry')
    const over = await scene.service.rotating.get(clusterC.id, rotation.id)
    assert.equal(over.status, 'completed', place)
    const fresh = await scene.service.issuing.read(clusterC.id, tester)
    assert.deepEqual(letIn(scene, loginsOf(fresh)), hosts, place)
    assert.deepEqual(letIn(scene, loginsOf(old)), [], place)
    assert.deepEqual([scene.quay.accounts().length, scene.redhat.accounts().length], [1, 1], place)
  }
})
