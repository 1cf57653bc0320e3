import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aSecret } from '../../../../test/support/builders.ts'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../../test/support/memory-kube.ts'
import { serviceAccounts } from '../../../kube/kinds.ts'
import { agentAccount } from '../../manifests/agent.ts'
import { roleArnAnnotation } from '../../manifests/hub-aws.ts'
import { accountIdentity } from './account-identity.ts'
import { formatAwsKubeconfig } from './agent-kubeconfig.ts'

const namespace = 'agent'
const access = { region: 'eu-west-1', clusterName: 'hub', roleArn: 'arn:aws:iam::111122223333:role/ocm-hub-x' }
const role = 'arn:aws:iam::444455556666:role/ocm-managed-cluster-x'
const hub = { name: 'hub', server: 'https://hub.example.com', ca: 'PEM' }
const kubeconfig = formatAwsKubeconfig(hub, access, { form: 'lanyard', command: '/no/such/program' }).reveal()
const { signal } = new AbortController()

function scene() {
  const clock = new FakeClock('2026-03-01T12:00:00Z')
  const kube = new MemoryKube(clock)
  const identity = (text: string) =>
    accountIdentity(aSecret('s', { kubeconfig: text }), namespace, { kube, clock, env: {} }, signal)
  return { kube, identity }
}

test('the agent is known by the role of its account, as what its kubeconfig says; nothing is asked for yet', async () => {
  const { kube, identity } = scene()
  const annotations = { [roleArnAnnotation]: role }
  await kube.of(serviceAccounts, namespace).create({ metadata: { name: agentAccount, annotations } })
  const found = await identity(kubeconfig)
  assert.deepEqual([found?.role, found?.access, found?.connection.server], [role, access, hub.server])
})

test('an account without a role is told of, with what to do', async () => {
  const { kube, identity } = scene()
  await kube.of(serviceAccounts, namespace).create({ metadata: { name: agentAccount } })
  await assert.rejects(identity(kubeconfig), { code: 'AWS_ACCOUNT_WITHOUT_ROLE' })
})

test('what no agent with an AWS identity wrote is none, and its account is not even looked at', async () => {
  const { kube, identity } = scene()
  assert.equal(await identity('none'), undefined)
  assert.equal(kube.calls.length, 0)
})
