/** What an agent does when it has lost its certificate, or what it kept is not its own. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { agentUser, conditions } from '../../../src/fleet/names.ts'
import { secrets } from '../../../src/kube/kinds.ts'
import { readCertificate } from '../../../src/pki/index.ts'
import type { AgentScene } from '../../support/agent-scene.ts'
import { agentScene, approve, bootstrapUser, isJoined, joinHub, letIn, pendingCsr } from '../../support/agent-scene.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { suiteScope } from '../../support/suite-scope.ts'

describe('an agent rejoins', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: ControlPlane
  before(async () => {
    plane = await startControlPlane(suite, {})
    await joinHub(suite, plane)
  })

  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const damage = (scene: AgentScene, texts: Record<string, string | null>) => {
    const data = Object.fromEntries(
      Object.entries(texts).map(([key, text]) => [key, text === null ? null : base64(text)]),
    )
    return scene.home.of(secrets, scene.namespace).patch('hub-kubeconfig-secret', { type: 'merge', body: { data } })
  }
  /** Until its certificate is another one than this. */
  const replaced = (scene: AgentScene, ...old: (string | undefined)[]) =>
    eventually('it has another certificate', async () => {
      const texts = await scene.secret()
      const certificate = texts?.['tls.crt'] ?? ''
      return certificate.startsWith('-----BEGIN') && !old.includes(certificate) ? texts : undefined
    })
  /** Restarts with a Secret that is not good, and is let in again by hand. */
  async function restartWith(scene: AgentScene, change: () => Promise<unknown>) {
    const before = await scene.secret()
    const asked = (await scene.csrs()).length
    await scene.stop()
    await change()
    const damaged = await scene.secret()
    scene.start()
    const csr = await pendingCsr(scene)
    assert.equal(csr.spec.username, bootstrapUser)
    await approve(scene)
    const after = await replaced(scene, before?.['tls.crt'], damaged?.['tls.crt'])
    await isJoined(scene)
    assert.equal((await scene.csrs()).length, asked + 1)
    return { before, after }
  }

  test('R22: with a certificate for somebody else, or none, it asks by bootstrap under its kept agent name', async (t) => {
    const scene = await agentScene(t, plane)
    await letIn(scene)
    const other = await plane.issueClientCertificate({ commonName: agentUser('other', 'a1') })
    const changes = [
      () => damage(scene, { 'tls.crt': other.certPem, 'tls.key': other.keyPem.reveal() }),
      () => damage(scene, { 'tls.crt': null, 'tls.key': null }),
    ]
    for (const change of changes) {
      const { before, after } = await restartWith(scene, change)
      assert.equal(after['agent-name'], before?.['agent-name'])
      const { commonName } = readCertificate(after['tls.crt'] ?? '').subject
      assert.equal(commonName, agentUser(scene.cluster, before?.['agent-name'] ?? ''))
    }
    const short = await plane.issueClientCertificate({
      commonName: agentUser(scene.cluster, (await scene.secret())?.['agent-name'] ?? ''),
      organizations: [`system:open-cluster-management:${scene.cluster}`],
      lifetimeMs: 1_000,
    })
    await scene.stop()
    await eventually('it has expired', () => readCertificate(short.certPem).notAfter < new Date())
    await restartWith(scene, () => damage(scene, { 'tls.crt': short.certPem, 'tls.key': short.keyPem.reveal() }))
    const duplicate = await scene.condition(conditions.duplicateAgent)
    assert.notEqual(duplicate?.status, 'True')
  })

  test('R26: whatever is damaged in its Secret, it recovers through bootstrap', async (t) => {
    const scene = await agentScene(t, plane)
    await letIn(scene)
    for (const texts of [{ kubeconfig: '{not: [yaml' }, { 'tls.key': 'no key' }, { 'tls.crt': 'x', pending: 'x' }]) {
      const { before, after } = await restartWith(scene, () => damage(scene, texts))
      assert.equal(after['agent-name'], before?.['agent-name'])
    }
    await damage(scene, { foreign: 'stays' })
    await restartWith(scene, () => damage(scene, { 'cluster-name': 'somebody-else' }))
    assert.equal((await scene.secret())?.['foreign'], 'stays')
    assert.equal((await scene.secret())?.['cluster-name'], scene.cluster)
  })

  test('a running agent whose Secret is deleted or damaged renews its certificate as itself and stays on the hub', async (t) => {
    const scene = await agentScene(t, plane)
    await letIn(scene)
    const changes = [
      () => scene.home.of(secrets, scene.namespace).delete('hub-kubeconfig-secret'),
      () => damage(scene, { 'tls.crt': 'x' }),
    ]
    for (const change of changes) {
      const before = await scene.secret()
      await change()
      const after = await replaced(scene, before?.['tls.crt'])
      assert.equal(after['agent-name'], before?.['agent-name'])
      assert.equal(scene.agent.state().phase, 'joined')
    }
    const requesters = (await scene.csrs()).map(({ spec }) => spec.username)
    const itself = agentUser(scene.cluster, (await scene.secret())?.['agent-name'] ?? '')
    assert.deepEqual(requesters.sort(), [bootstrapUser, itself, itself])
  })
})
