/** An EKS cluster leaves by the hand of its own administrator, who has no rights on the hub. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { systemClock } from '../../../src/core/clock.ts'
import type { AuthenticationMode } from '../../../src/demo/aws/index.ts'
import { annotations } from '../../../src/fleet/names.ts'
import { configMaps, namespaces, serviceAccounts } from '../../../src/kube/kinds.ts'
import { agentAccount } from '../../../src/registration/manifests/agent.ts'
import { takeOffHub } from '../../../src/registration/operations/take-off.ts'
import type { AgentScene } from '../../support/agent-scene.ts'
import { setAccepted } from '../../support/agent-scene.ts'
import { awsMember } from '../../support/aws-agent-scene.ts'
import type { AwsSpoke } from '../../support/aws-ground.ts'
import type { AwsScene } from '../../support/aws-scene.ts'
import { awsScene, hubRoleOf } from '../../support/aws-scene.ts'
import { inTime, isAccepted, reasonOf } from '../../support/aws-watch.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { allRights, presentRights } from '../../support/membership-scene.ts'
import type { TestScope } from '../../support/test-scope.ts'

const graceMs = 3_600_000

/** An agent in a namespace of its name, whose account AWS knows by the API server that issues its tokens. */
async function member(t: TestScope, scene: AwsScene, name: string): Promise<{ agent: AgentScene; spoke: AwsSpoke }> {
  const { admin } = scene
  await admin.of(namespaces).create({ metadata: { name } })
  await admin.of(serviceAccounts, name).create({ metadata: { name: agentAccount } })
  const spoke = await scene.spoke(name, { namespace: name, issuer: scene.plane })
  const roleArn = { 'eks.amazonaws.com/role-arn': spoke.role.roleArn }
  await admin
    .of(serviceAccounts, name)
    .patch(agentAccount, { type: 'merge', body: { metadata: { annotations: roleArn } } })
  const agent = await awsMember(t, scene, spoke, { cluster: `${name}-cluster`, settings: { namespace: name } })
  return { agent, spoke }
}

async function leavesByItself(t: TestScope, authenticationMode: AuthenticationMode): Promise<void> {
  const clock = new FakeClock(new Date())
  const scene = await awsScene(t, { authenticationMode, clock, settings: { unjoinGraceMs: graceMs } })
  const clusters = scene.admin.of(ManagedCluster.resource)
  const [left, denied] = [await member(t, scene, 'left'), await member(t, scene, 'denied')]
  const inAws = async ({ spoke }: typeof left) => {
    const { name, arn } = hubRoleOf(scene.hub, spoke)
    const entry = scene.hub.cluster.accessEntries().find(({ principalArn }) => principalArn === arn)
    const map = await scene.admin.of(configMaps, 'kube-system').find('aws-auth')
    const isMapped = entry !== undefined || (map?.data?.['mapRoles'] ?? '').includes(arn)
    return { role: scene.hubSide.role(name), isMapped }
  }
  for (const { agent, ...one } of [left, denied]) {
    assert.deepEqual(await presentRights(scene.admin, agent.cluster), allRights)
    assert.equal((await inAws({ agent, ...one })).isMapped, true)
  }

  // As the agent's AWS role and nobody else; admission sees who it is.
  const deps = { kube: scene.admin, clock: systemClock, signal: new AbortController().signal }
  const connect = (connection: Parameters<typeof kubeClient>[1]) => kubeClient(t, connection)
  const env = { AWS_ENDPOINT_URL: scene.aws.url }
  await Array.fromAsync(takeOffHub('left', { ...deps, connect, env }))
  await left.agent.stop()
  const { metadata, spec } = await scene.cluster(left.agent.cluster)
  assert.equal(spec?.hubAcceptsClient, false)
  assert.ok(metadata.annotations?.[annotations.unjoinedAt], 'the hub knows that it left by itself')

  await setAccepted(scene.admin, denied.agent.cluster, false)
  await denied.agent.stop()
  for (const one of [left, denied]) {
    await inTime(
      clock,
      `${one.agent.cluster} has lost what it had`,
      async () => (await reasonOf(scene, one.agent.cluster)) === 'HubClusterAdminDenied',
    )
    assert.deepEqual(await inAws(one), { role: undefined, isMapped: false })
    assert.deepEqual(await presentRights(scene.admin, one.agent.cluster), ['binding', 'namespace', 'role'])
  }
  assert.equal((await scene.cluster(denied.agent.cluster)).metadata.annotations?.[annotations.unjoinedAt], undefined)

  const dueAt = Date.parse(metadata.annotations?.[annotations.unjoinedAt] ?? '') + graceMs
  // A minute before it is due, not a second: waiting for the witness takes time of the clock, too.
  await clock.advance(dueAt - 60_000 - clock.now().getTime())
  // Somebody who came later is let in: the hub has looked at all there was to do until now.
  await clusters.create({ metadata: { name: 'witness' }, spec: { hubAcceptsClient: true } })
  await isAccepted(scene, 'witness')
  assert.ok(clock.now().getTime() < dueAt, 'the clock is not past it')
  assert.ok(await clusters.find(left.agent.cluster), 'not a moment too early')
  await clock.advance(61_000)
  await inTime(clock, 'it is swept', async () => !(await clusters.find(left.agent.cluster)))
  assert.deepEqual(await presentRights(scene.admin, left.agent.cluster), ['namespace'])

  await clock.advance(3 * graceMs)
  await clusters.create({ metadata: { name: 'later' }, spec: { hubAcceptsClient: true } })
  await isAccepted(scene, 'later')
  assert.ok(await clusters.find(denied.agent.cluster))
}

test(
  'R85: a cluster that its own agent took off loses role, policy, mapping and rights, and goes after the grace; one that was denied stays',
  needsControlPlane,
  async (t) => {
    // Its name on the hub is another one by an access entry than by aws-auth.
    for (const mode of ['API', 'CONFIG_MAP'] as const) await leavesByItself(t, mode)
  },
)
