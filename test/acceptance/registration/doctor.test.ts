import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { findCondition } from '../../../src/core/conditions.ts'
import { Secret } from '../../../src/core/secret.ts'
import { agentSecrets, conditions, leaseName, rbacNames } from '../../../src/fleet/names.ts'
import { leases, roleBindings, secrets } from '../../../src/kube/kinds.ts'
import type { Finding } from '../../../src/registration/doctor/index.ts'
import { diagnose } from '../../../src/registration/doctor/index.ts'
import { awsAnnotations } from '../../../src/registration/drivers/marks.ts'
import { advanceUntil } from '../../support/advance-until.ts'
import type { AgentScene } from '../../support/agent-scene.ts'
import {
  agentScene,
  approve,
  bootstrapKubeconfig,
  decide,
  joinHub,
  letIn,
  pendingCsr,
  setAccepted,
  withHub,
} from '../../support/agent-scene.ts'
import { aSecret, uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { HubScene } from '../../support/fleet-scene.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { lanyard } from '../../support/lanyard.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TestScope } from '../../support/test-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

describe('doctor', needsControlPlane, () => {
  const scope = suiteScope()
  let time: TimedPlane
  let hub: HubScene
  before(async () => {
    time = await timedPlane(scope)
    hub = await joinHub(scope, time.plane, { clock: time.clock })
  })

  const deps = (t: TestScope) => ({
    connect: (connection: Parameters<typeof kubeClient>[1]) => kubeClient(t, connection, { retries: 0 }),
    clock: time.clock,
    signal: new AbortController().signal,
  })
  const ids = (findings: readonly Finding[]) => findings.map(({ id }) => id)
  const onHub = (t: TestScope, name: string) => diagnose({ name, hub: hub.admin }, deps(t))
  /** The cause is named, with what shows it and what to do. */
  const named = async (t: TestScope, name: string, id: Finding['id']): Promise<Finding> =>
    eventually(`doctor names ${id}`, async () => {
      const findings = await onHub(t, name)
      const found = findings.find((finding) => finding.id === id)
      assert.ok(found, `it names ${ids(findings)}`)
      return found
    })
  // Agents live by the machine's clock: only the hub's patience is about time here.
  const agent = (t: TestScope): Promise<AgentScene> => agentScene(t, time.plane)

  /** A cluster whose agent was given this bootstrap kubeconfig. */
  async function onCluster(t: TestScope, kubeconfig: string): Promise<Finding[]> {
    const namespace = await freshNamespace(t, hub.admin)
    await hub.admin.of(secrets, namespace).create(aSecret(agentSecrets.bootstrap, { kubeconfig }))
    return diagnose({ managed: { kube: hub.admin, namespace, isDeployed: false } }, deps(t))
  }

  test('a wrong address of the hub is named', async (t) => {
    const [finding, ...others] = await onCluster(
      t,
      withHub(await bootstrapKubeconfig(time.plane), { server: 'https://127.0.0.1:1' }),
    )
    assert.equal(finding?.id, 'wrong-hub-url')
    assert.match(finding?.evidence ?? '', /127\.0\.0\.1:1/)
    assert.deepEqual(others, [])
  })

  test('a wrong CA is named', async (t) => {
    const { certPem } = await time.plane.issueClientCertificate({ commonName: 'nobody' })
    const findings = await onCluster(
      t,
      withHub(await bootstrapKubeconfig(time.plane), { certificateAuthorityData: certPem }),
    )
    assert.deepEqual(ids(findings), ['wrong-hub-ca'])
  })

  test('an expired token is named, with when it ran out and without the token', async (t) => {
    const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url')
    const token = `${part({ alg: 'RS256' })}.${part({ exp: 1_000_000_000, iss: 'kubernetes' })}.c2lnbmF0dXJl`
    const [finding] = await onCluster(t, time.plane.kubeconfig({ token: Secret.of(token) }))
    assert.equal(finding?.id, 'bootstrap-token-expired')
    assert.match(finding?.evidence ?? '', /ran out at 2001-09-09/)
    assert.doesNotMatch(JSON.stringify(finding), new RegExp(token))
  })

  test('a bootstrap user without rights is named', async (t) => {
    const certificate = await time.plane.issueClientCertificate({ commonName: uniqueName('nobody') })
    assert.deepEqual(ids(await onCluster(t, time.plane.kubeconfig({ certificate }))), ['bootstrap-rights-missing'])
  })

  test('a working bootstrap kubeconfig is nothing to complain of', async (t) => {
    await agent(t)
    const kubeconfig = await bootstrapKubeconfig(time.plane)
    // The API server hears of the rights of the bootstrap user a moment after they are made.
    await eventually('there is nothing', async () => {
      assert.deepEqual(await onCluster(t, kubeconfig), [])
      return true
    })
  })

  test('a cluster that the hub has never heard of is named', async (t) => {
    assert.deepEqual(ids(await onHub(t, uniqueName('unheard'))), ['cluster-unknown'])
  })

  test('a certificate request that waits is named, and that the cluster is not accepted', async (t) => {
    const scene = await agent(t)
    const { metadata } = await pendingCsr(scene)
    const finding = await named(t, scene.cluster, 'csr-pending')
    assert.match(finding.evidence, new RegExp(`${metadata.name} was made by bootstrap`))
    assert.match(finding.fix, new RegExp(`lanyard accept ${scene.cluster}`))
    await named(t, scene.cluster, 'not-accepted')
  })

  test('a cluster that is approved and not accepted is named', async (t) => {
    const scene = await agent(t)
    await approve(scene)
    await eventually('only its acceptance is missing', async () => {
      assert.deepEqual(ids(await onHub(t, scene.cluster)), ['not-accepted'])
      return true
    })
  })

  test('a denied certificate request is named', async (t) => {
    const scene = await agent(t)
    const { metadata } = await pendingCsr(scene)
    await decide(scene.admin, metadata.name, 'Denied')
    const finding = await named(t, scene.cluster, 'csr-denied')
    assert.match(finding.evidence, new RegExp(metadata.name))
  })

  test('a second agent under the name of a live one is named', async (t) => {
    const first = await agent(t)
    await letIn(first)
    const second = await agentScene(t, time.plane, { cluster: first.cluster })
    await pendingCsr(second)
    const finding = await named(t, first.cluster, 'duplicate-agent')
    assert.match(finding.fix, /--replace-agent/)
  })

  test('clocks that differ are named, with the number', async (t) => {
    const scene = await agent(t)
    await letIn(scene)
    await scene.stop()
    const place = hub.admin.of(leases, scene.cluster)
    const lease = await place.get(leaseName)
    const renewTime = new Date(time.clock.now().getTime() - 3_600_000).toISOString().replace('Z', '000Z')
    await place.update({ ...lease, spec: { ...lease.spec, renewTime } } as never)
    const finding = await named(t, scene.cluster, 'clock-skew')
    assert.match(finding.evidence, /3[56]\d\d/)
  })

  test('rights that are missing are named one by one', async (t) => {
    const alone = await timedPlane(t)
    const own = await joinHub(t, alone.plane, { clock: alone.clock })
    const scene = await agentScene(t, alone.plane)
    await letIn(scene)
    await own.stop()
    const name = rbacNames.registrationBinding(scene.cluster)
    await own.admin.of(roleBindings, scene.cluster).delete(name)
    const findings = await diagnose({ name: scene.cluster, hub: own.admin }, { ...deps(t), clock: alone.clock })
    assert.deepEqual(ids(findings), ['rights-missing'])
    assert.match(findings[0]?.evidence ?? '', new RegExp(`RoleBinding/${name}`))
  })

  test('a cluster that comes by AWS IAM is waited for without a request, and the flag that its hub lacks is named', async (t) => {
    const [name, arn] = [uniqueName('eks'), 'arn:aws:eks:us-west-2:123456789012:cluster/west']
    const clusters = hub.admin.of(ManagedCluster.resource)
    await clusters.create({ metadata: { name, annotations: { [awsAnnotations.arn]: arn } }, spec: {} })
    const waits = await named(t, name, 'not-accepted')
    assert.ok(waits.evidence.includes(`as ${arn}, so there is no certificate request`), waits.evidence)
    const listed = await lanyard(t, [
      ...['get', 'clusters', name, '-o', 'json', '--kubeconfig', time.plane.adminKubeconfigPath],
    ]).ended
    const [{ stage, driver, managedClusterArn, pendingRequests }] = JSON.parse(listed.out)
    assert.deepEqual([stage, driver, managedClusterArn, pendingRequests], ['pending', 'awsirsa', arn, []])
    await setAccepted(hub.admin, name)
    const { evidence } = await named(t, name, 'aws-access-missing')
    assert.match(evidence, /--enabled-registration-drivers/)
  })

  test('a healthy cluster has nothing wrong, and the command says so', async (t) => {
    const scene = await agent(t)
    await letIn(scene)
    await eventually('it is available', async () => (await scene.condition(conditions.available))?.status === 'True')
    assert.deepEqual(await onHub(t, scene.cluster), [])
    const { code, out, err } = await lanyard(t, [
      ...['doctor', scene.cluster, '--kubeconfig', time.plane.adminKubeconfigPath],
    ]).ended
    assert.equal(code, 0, `${out}${err}`)
    assert.match(out, /✔ nothing is wrong/)
  })

  test('the command ends with 1 where something is wrong, and tells programs the ids', async (t) => {
    const name = uniqueName('unheard')
    const { code, out } = await lanyard(t, [
      ...['doctor', name, '-o', 'json', '--kubeconfig', time.plane.adminKubeconfigPath],
    ]).ended
    assert.equal(code, 1)
    assert.deepEqual(ids(JSON.parse(out)), ['cluster-unknown'])
  })

  // Last, because it moves the time of everybody.
  test('an agent that is down is named', async (t) => {
    const scene = await agent(t)
    await letIn(scene)
    await scene.stop()
    await eventually(
      'its lease is seen',
      () => hub.deps.view.leases.get(`${scene.cluster}/${leaseName}`)?.spec?.renewTime,
    )
    const isGivenUp = () => {
      const seen = hub.deps.view.clusters.get(scene.cluster)?.status?.conditions
      return findCondition(seen, conditions.available)?.status === 'Unknown'
    }
    await advanceUntil(time.clock, 'the hub has given it up', isGivenUp, 5_000)
    const finding = await named(t, scene.cluster, 'agent-down')
    assert.match(finding.evidence, /last heard/)
  })
})
