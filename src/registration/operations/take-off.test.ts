import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aSecret } from '../../../test/support/builders.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../test/support/memory-kube.ts'
import { agentSecrets } from '../../fleet/names.ts'
import type { KubeClient } from '../../kube/client/index.ts'
import { secrets, serviceAccounts } from '../../kube/kinds.ts'
import { formatAwsKubeconfig } from '../drivers/awsirsa/agent-kubeconfig.ts'
import { failures } from '../drivers/awsirsa/token/failures.ts'
import { agentAccount } from '../manifests/agent.ts'
import { roleArnAnnotation } from '../manifests/hub-aws.ts'
import { takeOffHub } from './take-off.ts'

const namespace = 'agent'
const role = 'arn:aws:iam::444455556666:role/ocm-managed-cluster-x'
const access = { region: 'eu-west-1', clusterName: 'hub', roleArn: 'arn:aws:iam::111122223333:role/ocm-hub-x' }
const hub = { name: 'hub', server: 'https://hub.example.com', ca: 'PEM' }
const kubeconfig = formatAwsKubeconfig(hub, access, { form: 'lanyard', command: 'lanyard' }).reveal()

/** A hub that AWS does not let the agent be anybody on. */
const shutHub = {
  of: () => ({
    get: async () => {
      throw failures.AWS_ROLE_REFUSED({ caller: role, role: access.roleArn, detail: 'AccessDenied' })
    },
  }),
  [Symbol.asyncDispose]: async () => {},
} as unknown as KubeClient

async function leaving(annotations: Record<string, string>): Promise<unknown> {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  const secret = aSecret(agentSecrets.hubKubeconfig, { kubeconfig, 'cluster-name': 'west' })
  await kube.of(secrets, namespace).create({ ...secret, metadata: { name: agentSecrets.hubKubeconfig, namespace } })
  await kube.of(serviceAccounts, namespace).create({ metadata: { name: agentAccount, annotations } })
  const { signal } = new AbortController()
  return await Array.fromAsync(takeOffHub(namespace, { kube, clock, signal, connect: () => shutHub }))
}

test('a cluster whose AWS role does not lead to the hub hears how to go all the same', async () => {
  const told = (why: RegExp) => (error: Error & { code?: string }) => {
    assert.equal(error.code, 'UNJOIN_BY_AWS_FAILED')
    assert.match(error.message, /^west cannot take itself off .* add --force to remove the agent only/)
    assert.match(error.message, why)
    return true
  }
  await assert.rejects(leaving({ [roleArnAnnotation]: role }), told(/may not assume .*role\/ocm-hub-x/))
  await assert.rejects(leaving({}), told(/no annotation eks.amazonaws.com\/role-arn/))
})
