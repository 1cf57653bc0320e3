/** What an agent does when its bootstrap kubeconfig changes. */
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { agentSecrets } from '../../../src/fleet/names.ts'
import { secrets } from '../../../src/kube/kinds.ts'
import { parseKubeconfig } from '../../../src/kube/kubeconfig/index.ts'
import { reasons } from '../../../src/registration/reasons.ts'
import type { AgentScene } from '../../support/agent-scene.ts'
import {
  agentScene,
  allowBootstrap,
  approve,
  bootstrapKubeconfig,
  bootstrapUser,
  csrsOf,
  decide,
  isJoined,
  joinHub,
  letIn,
  pendingCsr,
  setAccepted,
  withHub,
} from '../../support/agent-scene.ts'
import { aSecret } from '../../support/builders.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { HubScene } from '../../support/fleet-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'

describe('the bootstrap kubeconfig changes', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: ControlPlane
  before(async () => {
    plane = await startControlPlane(suite, {})
    await joinHub(suite, plane)
  })
  const hubOf = async (scene: AgentScene) => {
    const text = (await scene.secret())?.kubeconfig
    return text === undefined ? undefined : parseKubeconfig(text, { name: 'it' }).clusters[0]
  }

  test('R23: an endpoint that leads nowhere is replaced by a good one, and the agent joins without a restart', async (t) => {
    const good = await bootstrapKubeconfig(plane)
    const scene = await agentScene(t, plane, { bootstrap: withHub(good, { server: 'https://127.0.0.1:1' }) })
    await eventually('it cannot get there', () => scene.agent.state().trouble?.reason === 'IssuanceFailed')
    writeFileSync(scene.bootstrapPath, good)
    await letIn(scene)
  })

  test('a file that is no kubeconfig, or not there yet, is waited for', async (t) => {
    const scene = await agentScene(t, plane, { bootstrap: null })
    const trouble = await eventually('it says so', () => scene.agent.state().trouble)
    assert.equal(trouble.reason, reasons.BootstrapUnusable)
    assert.match(trouble.message, /bootstrap\.kubeconfig, Secret .*bootstrap-hub-kubeconfig/)
    writeFileSync(scene.bootstrapPath, '{')
    await eventually('it names the file', () =>
      /neither YAML nor JSON/.test(scene.agent.state().trouble?.message ?? ''),
    )
    writeFileSync(scene.bootstrapPath, await bootstrapKubeconfig(plane))
    await pendingCsr(scene)
  })

  test('a bootstrap credential that has expired never ends the agent, and a new one is taken up', async (t) => {
    const expired = await plane.issueClientCertificate({ commonName: bootstrapUser, lifetimeMs: -1_000 })
    const scene = await agentScene(t, plane, { bootstrap: plane.kubeconfig({ certificate: expired }) })
    await eventually('it is refused', () => scene.agent.state().trouble?.reason === 'IssuanceFailed')
    writeFileSync(scene.bootstrapPath, await bootstrapKubeconfig(plane))
    await letIn(scene)
  })

  test('R24a: pointed to a new hub, a joined agent joins that one', async (t) => {
    const newPlane = await startControlPlane(t, {})
    const newHub = await joinHub(t, newPlane)
    await allowBootstrap(newHub.admin)
    const scene = await agentScene(t, plane)
    await letIn(scene)
    writeFileSync(scene.bootstrapPath, await bootstrapKubeconfig(newPlane))
    await joinsToo(scene, newHub)
    assert.equal((await hubOf(scene))?.value.server, newPlane.url)
  })

  async function joinsToo(scene: AgentScene, hub: HubScene) {
    const csr = await eventually('it asks the new hub', async () => (await csrsOf(hub.admin, scene.cluster))[0])
    assert.equal(csr.spec.username, bootstrapUser)
    await eventually('its cluster is there', () => hub.admin.of(ManagedCluster.resource).find(scene.cluster))
    await decide(hub.admin, csr.metadata.name, 'Approved')
    await setAccepted(hub.admin, scene.cluster)
    await eventually('it has joined there', async () =>
      (await hub.cluster(scene.cluster)).status?.conditions?.some(
        ({ type, status }) => type === 'ManagedClusterJoined' && status === 'True',
      ),
    )
  }

  test('R25: only another name for the hub in the kubeconfig: a new CSR and a fresh Secret', async (t) => {
    const scene = await agentScene(t, plane)
    await letIn(scene)
    const before = await scene.secret()
    await scene.stop()
    writeFileSync(scene.bootstrapPath, withHub(await bootstrapKubeconfig(plane), {}, 'renamed'))
    scene.start()
    await approve(scene)
    await eventually('the Secret is fresh', async () => (await hubOf(scene))?.name === 'renamed')
    await isJoined(scene)
    assert.equal((await scene.csrs()).length, 2)
    assert.notEqual((await scene.secret())?.['tls.crt'], before?.['tls.crt'])
  })

  test('R27: a bootstrap Secret is taken up at once when it is made, updated, deleted and made again', async (t) => {
    const scene = await agentScene(t, plane, { bootstrap: null })
    const kept = scene.home.of(secrets, scene.namespace)
    const good = await bootstrapKubeconfig(plane)
    const nowhere = withHub(good, { server: 'https://127.0.0.1:1' })
    const troubleIs = (reason: string) =>
      eventually(`its trouble is ${reason}`, () => scene.agent.state().trouble?.reason === reason)
    await troubleIs(reasons.BootstrapUnusable)
    await kept.create(aSecret(agentSecrets.bootstrap, { kubeconfig: nowhere }))
    await troubleIs('IssuanceFailed')
    await kept.delete(agentSecrets.bootstrap)
    await eventually('its loss shows', () => /no bootstrap kubeconfig/.test(scene.agent.state().trouble?.message ?? ''))
    await kept.create(aSecret(agentSecrets.bootstrap, { kubeconfig: good }))
    await letIn(scene)
    await kept.update(aSecret(agentSecrets.bootstrap, { kubeconfig: withHub(good, {}, 'renamed') }))
    await approve(scene)
    await eventually('the Secret is fresh', async () => (await hubOf(scene))?.name === 'renamed')
    await isJoined(scene)
    await kept.delete(agentSecrets.bootstrap)
    rmSync(scene.bootstrapPath, { force: true })
    await scene.stop()
    scene.start()
    await isJoined(scene)
  })
})
