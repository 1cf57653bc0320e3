import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InitOptions } from './init.ts'
import { initDriversOf, mustServe } from './init-drivers.ts'
import type { InitDeps } from './init-steps.ts'

const options = (more: Partial<InitOptions> = {}): InitOptions => ({
  timeout: 1,
  createNamespace: true,
  csrCheckSeconds: 1,
  output: 'text',
  ...more,
})
const arn = 'arn:aws:eks:eu-west-1:123456789012:cluster/hub'

test('drivers are known by the words of the seed and of the field', () => {
  assert.deepEqual(initDriversOf(options()), ['csr'])
  assert.deepEqual(initDriversOf(options({ registrationAuth: ['aws-irsa'] })), ['awsirsa'])
  assert.deepEqual(initDriversOf(options({ registrationDrivers: ['csr', 'awsirsa'] })), ['csr', 'awsirsa'])
})

test('flags of a driver that is not asked for are refused with it', () => {
  assert.throws(() => initDriversOf(options({ hubClusterArn: arn })), {
    code: 'INIT_CSR_ON_EKS',
    message: /--hub-cluster-arn says that this hub is an EKS cluster.*--registration-auth=aws-irsa/,
  })
  assert.throws(() => initDriversOf(options({ awsResourceTags: ['a=b'] })), /--aws-resource-tags has no effect/)
  assert.throws(() => initDriversOf(options({ awsCreatorRole: true })), /--aws-creator-role has no effect/)
  assert.throws(() => initDriversOf(options({ autoApprovedArnPatterns: [] })), /--auto-approved-arn-patterns has no/)
})

test('csr is refused on an EKS server, whatever else is asked for, with what to use instead', async () => {
  const serving = (gitVersion: string) =>
    ({ kube: { request: async () => ({ gitVersion }) }, signal: new AbortController().signal }) as unknown as InitDeps
  const eks = serving('v1.33.1-eks-1fbb135')
  const refusal = {
    code: 'INIT_CSR_ON_EKS',
    message: /one of EKS \(v1\.33\.1-eks-1fbb135\).*--registration-auth=aws-irsa/,
  }
  await assert.rejects(mustServe(['csr'], eks), refusal)
  await assert.rejects(mustServe(['csr', 'awsirsa'], eks), refusal)
  assert.equal(await mustServe(['awsirsa'], eks), 'v1.33.1-eks-1fbb135')
  assert.equal(await mustServe(['csr', 'awsirsa'], serving('v1.33.1')), 'v1.33.1')
})
