import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../test/support/memory-kube.ts'
import { agentSecrets } from '../../fleet/names.ts'
import { deployments, secrets, serviceAccounts } from '../../kube/kinds.ts'
import { agentAccount, agentDeployment } from '../manifests/agent.ts'
import { diagnoseClusterSide } from './cluster-side.ts'
import { comesByAws, waitsForAws } from './cluster-side-aws.ts'

const { signal } = new AbortController()

test('an agent comes by AWS IAM when it was told so, in either word', () => {
  const told = (...args: string[]) =>
    comesByAws({
      spec: { selector: {}, template: { spec: { containers: [{ name: 'agent', args: ['agent', ...args] }] } } },
    })
  assert.equal(told('--registration-auth=awsirsa'), true)
  assert.equal(told('--registration-auth=aws-irsa'), true)
  assert.equal(told('--registration-auth=csr'), false)
  assert.equal(told('--addon-kubeclient-registration-auth=awsirsa'), false)
  assert.equal(told(), false)
  assert.equal(comesByAws(undefined), false)
})

test('an agent without a Secret is told of, and whether its account has a role', async () => {
  const kube = new MemoryKube(new FakeClock())
  const accounts = kube.of(serviceAccounts, 'agent')
  const unread = await waitsForAws({ kube, namespace: 'agent', isLeftOver: false }, signal)
  assert.match(unread.evidence, /no Secret hub-kubeconfig-secret in namespace agent$/)
  await accounts.create({ metadata: { name: agentAccount } })
  const bare = await waitsForAws({ kube, namespace: 'agent', isLeftOver: false }, signal)
  assert.equal(bare.id, 'aws-agent-waits')
  assert.match(bare.evidence, /agent\/lanyard-agent has no annotation eks\.amazonaws\.com\/role-arn/)
  assert.match(bare.fix, /lanyard aws prerequisites cluster/)
  const metadata = { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/r' } }
  await accounts.patch(agentAccount, { type: 'merge', body: { metadata } })
  const equipped = await waitsForAws({ kube, namespace: 'agent', isLeftOver: false }, signal)
  assert.doesNotMatch(equipped.evidence, /annotation/)
  assert.match(equipped.fix, /hub has accepted.*logs deploy\/lanyard-agent/)
})

test('a certificate that the agent came by before is not what it waits for', async () => {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  const deps = { clock, signal, connect: () => assert.fail('there is no bootstrap kubeconfig to try out') }
  const diagnosed = async () => {
    const found = await diagnoseClusterSide({ kube, namespace: 'agent', isDeployed: false }, deps)
    return found.filter(({ id }) => id !== 'bootstrap-missing')
  }
  const containers = (auth: string) => [{ name: 'agent', args: ['agent', `--registration-auth=${auth}`] }]
  const spec = (auth: string) => ({ selector: {}, template: { spec: { containers: containers(auth) } } })
  await kube.of(deployments, 'agent').create({ metadata: { name: agentDeployment }, spec: spec('csr') })
  const data = { 'tls.crt': Buffer.from('none').toString('base64') }
  await kube.of(secrets, 'agent').create({ metadata: { name: agentSecrets.hubKubeconfig }, data })
  assert.deepEqual(
    (await diagnosed()).map(({ id }) => id),
    ['certificate-expired'],
  )
  await kube.of(deployments, 'agent').patch(agentDeployment, { type: 'merge', body: { spec: spec('awsirsa') } })
  const [finding, ...others] = await diagnosed()
  assert.equal(finding?.id, 'aws-agent-waits')
  assert.match(finding?.evidence ?? '', /hub-kubeconfig-secret still has a certificate from before/)
  assert.deepEqual(others, [])
  await kube
    .of(secrets, 'agent')
    .patch(agentSecrets.hubKubeconfig, { type: 'merge', body: { data: { 'tls.crt': null } } })
  assert.deepEqual(await diagnosed(), [])
})
