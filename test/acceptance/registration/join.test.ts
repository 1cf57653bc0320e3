/** How an agent joins a hub by CSR. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { Secret } from '../../../src/core/secret.ts'
import {
  agentUser,
  clientSigner,
  clusterGroup,
  clusterNameConfigMap,
  conditions,
  labels,
} from '../../../src/fleet/names.ts'
import { testAuthority } from '../../../src/kube/client/testing/certificates.ts'
import { startProxy } from '../../../src/kube/client/testing/proxy.ts'
import { certificateSigningRequests, configMaps, secrets } from '../../../src/kube/kinds.ts'
import { connectionOf, parseKubeconfig } from '../../../src/kube/kubeconfig/index.ts'
import { keyMatches, readCertificate, readRequest } from '../../../src/pki/index.ts'
import { reasons } from '../../../src/registration/reasons.ts'
import {
  agentScene,
  approve,
  bootstrapKubeconfig,
  decide,
  isJoined,
  joinHub,
  letIn,
  pendingCsr,
  setAccepted,
  withHub,
} from '../../support/agent-scene.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { define } from '../../support/custom-resources.ts'
import { eventually } from '../../support/eventually.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import type { HubScene } from '../../support/fleet-scene.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { suiteScope } from '../../support/suite-scope.ts'

describe('an agent joins', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: ControlPlane
  let hub: HubScene
  before(async () => {
    plane = await startControlPlane(suite, {})
    hub = await joinHub(suite, plane)
  })
  const hasSecret = (scene: Awaited<ReturnType<typeof agentScene>>) =>
    eventually('the Secret holds a certificate', async () => {
      const texts = await scene.secret()
      return texts?.['tls.crt'] === undefined ? undefined : texts
    })

  test('R1: a started agent makes its ManagedCluster, not accepted, and one pending CSR with its label', async (t) => {
    const scene = await agentScene(t, plane)
    const csr = await pendingCsr(scene)
    const cluster = await eventually('the cluster is there', () =>
      hub.admin.of(ManagedCluster.resource).find(scene.cluster),
    )
    assert.equal(cluster.spec?.hubAcceptsClient, false)
    assert.deepEqual(cluster.status?.conditions ?? [], [])
    assert.equal(csr.metadata.labels?.[labels.clusterName], scene.cluster)
    assert.equal((await scene.csrs()).length, 1)
  })

  test('R2: its CSR asks for the identity of the agent, one organization, the client signer and client auth', async (t) => {
    const scene = await agentScene(t, plane, { settings: { agentName: 'a1' } })
    const { metadata, spec } = await pendingCsr(scene)
    const { subject, signatureValid } = readRequest(Buffer.from(spec.request, 'base64').toString())
    assert.equal(subject.commonName, agentUser(scene.cluster, 'a1'))
    assert.deepEqual(subject.organizations, [clusterGroup(scene.cluster)])
    assert.equal(signatureValid, true)
    assert.equal(spec.signerName, clientSigner)
    assert.deepEqual(spec.usages, ['digital signature', 'key encipherment', 'client auth'])
    assert.match(metadata.name, new RegExp(`^${scene.cluster}-[0-9a-f]{32}$`))
  })

  test('R3: approved and accepted, in any order, the Secret holds kubeconfig, names, certificate and its key', async (t) => {
    for (const acceptFirst of [true, false]) {
      const scene = await agentScene(t, plane)
      await pendingCsr(scene)
      await eventually('the cluster is there', () => hub.admin.of(ManagedCluster.resource).find(scene.cluster))
      if (acceptFirst) await setAccepted(scene.admin, scene.cluster)
      await approve(scene)
      if (!acceptFirst) await setAccepted(scene.admin, scene.cluster)
      await isJoined(scene)
      const texts = await hasSecret(scene)
      assert.deepEqual(Object.keys(texts).sort(), ['agent-name', 'cluster-name', 'kubeconfig', 'tls.crt', 'tls.key'])
      assert.equal(texts['cluster-name'], scene.cluster)
      assert.equal(keyMatches(texts['tls.crt'] ?? '', Secret.of(texts['tls.key'] ?? '')), true)
      const { subject } = readCertificate(texts['tls.crt'] ?? '')
      assert.equal(subject.commonName, agentUser(scene.cluster, texts['agent-name'] ?? ''))

      const folder = join(scene.dir, 'hub')
      await eventually('the kubeconfig is a file', () => existsSync(join(folder, 'kubeconfig')))
      assert.equal(statSync(folder).mode & 0o777, 0o700)
      for (const [key, text] of Object.entries(texts)) {
        assert.equal(readFileSync(join(folder, key), 'utf8'), text)
        assert.equal(statSync(join(folder, key)).mode & 0o777, 0o600)
      }
      const config = parseKubeconfig(texts.kubeconfig ?? '', { file: join(folder, 'kubeconfig') })
      assert.equal(config.currentContext, 'default-context')
      assert.equal(config.contexts[0]?.value.namespace, 'configuration')
      const { connection } = await connectionOf(config, { source: 'test', clock: systemClock, env: {} })
      const asAgent = kubeClient(t, connection)
      assert.equal((await asAgent.of(ManagedCluster.resource).get(scene.cluster)).metadata.name, scene.cluster)
    }
  })

  test('R4: an agent that is let in leads to the conditions accepted and joined', async (t) => {
    const scene = await agentScene(t, plane)
    await letIn(scene)
    const accepted = await scene.condition(conditions.accepted)
    assert.deepEqual([accepted?.status, accepted?.reason], ['True', reasons.HubClusterAdminAccepted])
    const joined = await scene.condition(conditions.joined)
    assert.deepEqual([joined?.status, joined?.reason], ['True', reasons.ManagedClusterJoined])
    assert.equal(scene.agent.health(), 'ok')
  })

  test('R5: an agent that is approved and not accepted asks again at growing intervals, says why, and goes on when it is accepted', async (t) => {
    /** Each pause from one look to the next, measured when the agent sets it: a wait may move the clock in between. */
    const pauses: number[] = []
    /** Nothing else of an agent that waits to be accepted is due so soon. */
    const longestMs = 100_000
    class Watched extends FakeClock {
      override timer(at: Date, action: () => void): Disposable {
        const leftMs = at.getTime() - this.now().getTime()
        if (isWaiting() && leftMs < longestMs) pauses.push(leftMs)
        return super.timer(at, action)
      }
    }
    let isWaiting = () => false
    const clock = new Watched(new Date())
    const scene = await agentScene(t, plane, { clock })
    isWaiting = () => scene.agent.state().trouble?.reason === reasons.AwaitingAcceptance
    await approve(scene)
    const trouble = await eventually('it says why it waits', () => {
      const { phase, trouble } = scene.agent.state()
      return phase === 'awaiting' ? trouble : undefined
    })
    assert.equal(trouble.reason, reasons.AwaitingAcceptance)
    assert.match(trouble.message, new RegExp(`lanyard accept ${scene.cluster}$`))
    const rests = (after: number) =>
      eventually('it rests', () => {
        const leftMs = (clock.nextDue?.getTime() ?? Number.POSITIVE_INFINITY) - clock.now().getTime()
        return pauses.length > after && leftMs < longestMs
      })
    await rests(0)
    while ((pauses.at(-1) ?? 0) < 10_000) {
      const { length } = pauses
      await clock.advanceToNext()
      await rests(length)
      assert.deepEqual(scene.agent.state().trouble, trouble)
    }
    assert.ok((pauses[0] ?? 0) <= 100, `${pauses}`)
    assert.ok(
      pauses.every((pause, index) => pause > (pauses[index - 1] ?? 0)),
      `${pauses}`,
    )
    assert.deepEqual(scene.agent.health(), { failing: trouble.reason, message: trouble.message })
    assert.equal(await scene.condition(conditions.joined), undefined)
    await setAccepted(scene.admin, scene.cluster)
    await eventually('it is accepted', async () => (await scene.condition(conditions.accepted))?.status === 'True')
    await clock.advanceToNext()
    await isJoined(scene)
    assert.equal((await scene.csrs()).length, 1)
  })

  test('an agent that is denied watches its cluster, and is back as soon as it is accepted again', async (t) => {
    const clock = new FakeClock(new Date())
    const scene = await agentScene(t, plane, { clock })
    await letIn(scene)
    await scene.stop()
    await setAccepted(scene.admin, scene.cluster, false)
    await eventually('the denial shows', async () => (await scene.condition(conditions.accepted))?.status === 'False')
    scene.start()
    const isWaiting = () => /hubAcceptsClient is false/.test(scene.agent.state().trouble?.message ?? '')
    await eventually('it waits', isWaiting)
    for (let looks = 0; looks < 10; looks += 1) await clock.advance('10s')
    await eventually('it waits', isWaiting)
    await setAccepted(scene.admin, scene.cluster)
    await eventually('its rights are back', async () => (await scene.condition(conditions.accepted))?.status === 'True')
    // Nothing moves the clock, and its pause has grown: only the watch can tell it.
    await eventually('it is back', () => scene.agent.state().phase === 'joined')
  })

  test('an agent that cannot write its files joins all the same, and starts again', async (t) => {
    const scene = await agentScene(t, plane)
    await scene.stop()
    const hubKubeconfigDir = join(scene.bootstrapPath, 'hub')
    scene.start({ hubKubeconfigDir })
    await letIn(scene)
    await scene.stop()
    scene.start({ hubKubeconfigDir })
    await isJoined(scene)
    assert.equal((await scene.csrs()).length, 1)
  })

  test('a request that somebody removes is made again after a pause that grows', async (t) => {
    const clock = new FakeClock(new Date())
    const scene = await agentScene(t, plane, { clock })
    for (const [enough, tooLittle] of [
      [1_000, 500],
      [4_000, 3_000],
    ] as const) {
      const { metadata } = await pendingCsr(scene)
      await scene.admin.of(certificateSigningRequests).delete(metadata.name)
      await eventually('it says so', () =>
        scene.agent.state().trouble?.message.includes(`${metadata.name} was removed`),
      )
      await clock.advance(tooLittle)
      // Its Secret tells when it begins anew: the key is kept there before the request is made.
      assert.match((await scene.secret())?.['pending'] ?? '', /refused/)
      assert.equal((await scene.csrs()).length, 0)
      await clock.advance(enough - tooLittle)
    }
    await letIn(scene)
  })

  test('R10: annotations for agents are put on the new ManagedCluster, others are not', async (t) => {
    const ours = { 'agent.open-cluster-management.io/region': 'north' }
    const scene = await agentScene(t, plane, {
      settings: {
        clusterAnnotations: { ...ours, 'example.com/owner': 'me', 'xagent.open-cluster-management.io/a': 'b' },
        externalServerUrls: [{ url: 'https://spoke.example.com' }],
      },
    })
    const { metadata, spec } = await eventually('the cluster is there', () =>
      hub.admin.of(ManagedCluster.resource).find(scene.cluster),
    )
    assert.deepEqual(metadata.annotations, ours)
    assert.deepEqual(spec?.managedClusterClientConfigs, [{ url: 'https://spoke.example.com' }])
  })

  test('R12: a restart before approval goes on with the same CSR; after a denial there is a new key and name', async (t) => {
    const clock = new FakeClock(new Date())
    const scene = await agentScene(t, plane, { clock })
    const first = await pendingCsr(scene)
    await scene.stop()
    scene.start()
    await eventually('the new agent asks', () => scene.agent.state().phase === 'asking')
    await approveNothing(scene)
    assert.deepEqual(
      (await scene.csrs()).map(({ metadata }) => metadata.name),
      [first.metadata.name],
    )

    await decide(scene.admin, first.metadata.name, 'Denied', 'NotThisOne')
    const trouble = await eventually('the denial shows', () => {
      const { trouble } = scene.agent.state()
      return trouble?.reason === reasons.ClientCertificateDenied ? trouble : undefined
    })
    assert.match(trouble.message, /NotThisOne/)
    assert.equal((await scene.csrs()).length, 1)
    await clock.advance('10s')
    const second = await pendingCsr(scene)
    assert.notEqual(second.metadata.name, first.metadata.name)
    const keyOf = ({ spec }: typeof second) => readRequest(Buffer.from(spec.request, 'base64').toString()).publicKeyPem
    assert.notEqual(keyOf(second), keyOf(first))
    await decide(scene.admin, second.metadata.name, 'Approved')
    await hasSecret(scene)
    assert.equal((await scene.csrs()).length, 2)
  })

  /** Lets the agent come to rest: it looks at its request whenever a request of its cluster changes. */
  const approveNothing = async (scene: Awaited<ReturnType<typeof agentScene>>) => {
    const [csr] = await scene.csrs()
    const body = { metadata: { annotations: { touched: 'by the test' } } }
    await scene.admin.of(certificateSigningRequests).patch(csr?.metadata.name ?? '', { type: 'merge', body })
    await eventually('it waits for approval', () => scene.agent.state().trouble?.reason === 'AwaitingApproval')
  }

  test('R11: without a name, it is the id of an OpenShift cluster, else one that survives the loss of every Secret', async (t) => {
    const scene = await agentScene(t, plane, { cluster: null })
    scene.cluster = await eventually('it has a name', () => scene.agent.state().cluster)
    assert.match(scene.cluster, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    await letIn(scene)
    const map = await scene.home.of(configMaps, scene.namespace).get(clusterNameConfigMap)
    const texts = await scene.secret()
    assert.deepEqual(map.data, { 'cluster-name': scene.cluster, 'agent-name': texts?.['agent-name'] })
    assert.equal(texts?.['cluster-name'], scene.cluster)
    await scene.stop()
    const kept = scene.home.of(secrets, scene.namespace)
    for (const { metadata } of (await kept.list()).items) await kept.delete(metadata.name)
    scene.start()
    assert.equal(await eventually('it has a name again', () => scene.agent.state().cluster), scene.cluster)
    // Its lease is fresh, so the hub waits whether somebody else renews it: a person need not.
    await approve(scene)
    await isJoined(scene)
    assert.equal((await scene.secret())?.['agent-name'], texts?.['agent-name'])
    assert.notEqual((await scene.condition(conditions.duplicateAgent))?.status, 'True')

    const definition = { group: 'config.openshift.io', names: { plural: 'clusterversions', kind: 'ClusterVersion' } }
    const openShift = await define(t, hub.admin, { ...definition, scope: 'Cluster' })
    const clusterID = randomUUID()
    await hub.admin.of(openShift.of()).create({ metadata: { name: 'version' }, spec: { clusterID } })
    const onOpenShift = await agentScene(t, plane, { cluster: null })
    assert.equal(await eventually('it has a name', () => onOpenShift.agent.state().cluster), clusterID)
    await eventually('its cluster is there', () => hub.admin.of(ManagedCluster.resource).find(clusterID))
  })

  test('R9: through an http or https proxy the join succeeds, and the proxy is in the hub kubeconfig', async (t) => {
    const authority = await testAuthority('proxy-ca')
    for (const certificate of [undefined, await authority.server()]) {
      const proxy = await startProxy(t, certificate ? { certificate } : {})
      const proxyUrl = `${certificate ? 'https' : 'http'}://${proxy.host}`
      const bootstrap = withHub(await bootstrapKubeconfig(plane), {
        proxyUrl: Secret.of(proxyUrl),
        certificateAuthorityData: `${plane.caPem}${authority.caPem}`,
      })
      const scene = await agentScene(t, plane, { bootstrap })
      await letIn(scene)
      const kubeconfig = parseKubeconfig((await scene.secret())?.kubeconfig ?? '', { name: 'it' })
      assert.equal(kubeconfig.clusters[0]?.value.proxyUrl?.reveal(), proxyUrl)
      assert.ok(proxy.seen.length > 0)
      assert.ok(proxy.seen.every((line) => line.startsWith(`CONNECT ${new URL(plane.url).host} `)))
      await scene.stop()
    }
  })

  test('R13: restarted under another name, it makes a new ManagedCluster and CSR, and its Secret is replaced', async (t) => {
    const scene = await agentScene(t, plane)
    await letIn(scene)
    const before = await scene.secret()
    await scene.stop()
    const renamed = `${scene.cluster}-b`
    scene.start({ clusterName: renamed })
    scene.cluster = renamed
    await letIn(scene)
    const texts = await scene.secret()
    assert.equal(texts?.['cluster-name'], renamed)
    assert.equal(texts?.['agent-name'], before?.['agent-name'])
    assert.equal(
      readCertificate(texts?.['tls.crt'] ?? '').subject.commonName,
      agentUser(renamed, texts?.['agent-name'] ?? ''),
    )
    assert.equal((await scene.csrs(renamed)).length, 1)
  })
})
