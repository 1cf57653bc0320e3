import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clusterC, loginOf, pullSecretScene, tester } from '../../support/pull-secret-scene.ts'

for (const body of ['404: Service Account not found', '<html>gone</html>', { code: 17 }, undefined])
  test(`P26: an account that is not found counts as removed, answered with ${JSON.stringify(body)}`, async (t) => {
    const { service, redhat } = await pullSecretScene(t)
    await service.issuing.generate({ cluster: clusterC, registries: ['redhat'] }, tester)
    redhat.fail({ method: 'DELETE', do: { answer: 404, body } })
    const { registries } = await service.ending.remove(clusterC.id, tester)
    assert.deepEqual(registries, { redhat: 'done' })
    assert.equal(redhat.calls.filter(({ method }) => method === 'DELETE').length, 1)
    await assert.rejects(service.issuing.read(clusterC.id, tester), { code: 'PULL_NO_SECRET' })
  })

test('a username with the number of a customer before its pipe is served as it is, and removed by its name', async (t) => {
  const { service, redhat } = await pullSecretScene(t)
  Object.assign((redhat as unknown as { switches: object }).switches, { usernamePrefix: '12345678' })
  const { pullSecret } = await service.issuing.generate({ cluster: clusterC, registries: ['redhat'] }, tester)
  const [username, token] = loginOf(pullSecret, 'registry.redhat.io')
  assert.equal(username, `12345678|hyp-cls-${clusterC.id}`)
  assert.ok(redhat.logsIn(username, token))
  await service.ending.remove(clusterC.id, tester)
  assert.equal(redhat.accounts().length, 0)
})
