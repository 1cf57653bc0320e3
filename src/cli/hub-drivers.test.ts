import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkServer, hubDriversOf } from './hub-drivers.ts'

const hubClusterArn = 'arn:aws:eks:eu-west-1:123456789012:cluster/hub'
const csr = { enabledRegistrationDrivers: ['csr'] }
const aws = { enabledRegistrationDrivers: ['aws-irsa'], hubClusterArn }
const both = { enabledRegistrationDrivers: ['csr', 'awsirsa'], hubClusterArn }
const told = { hubClusterArn, autoApprovedArnPatterns: [], awsResourceTags: [] }

test('a hub has the drivers that it is asked for, alone or together', () => {
  assert.deepEqual(hubDriversOf(csr), { csr: true })
  assert.deepEqual(hubDriversOf(aws), { csr: false, aws: told })
  assert.deepEqual(hubDriversOf(both), { csr: true, aws: told })
})

test('the join by AWS IAM needs the ARN of the hub', () => {
  const without = { enabledRegistrationDrivers: ['awsirsa'] }
  assert.throws(() => hubDriversOf(without), { code: 'DRIVER_NEEDS_FLAG', message: /--hub-cluster-arn ARN/ })
  assert.throws(() => hubDriversOf({ ...without, hubClusterArn: '' }), { code: 'DRIVER_NEEDS_FLAG' })
})

test('csr alone is refused where an ARN says that the hub is on EKS', () => {
  assert.throws(() => hubDriversOf({ ...csr, hubClusterArn }), {
    code: 'CSR_WITH_HUB_ARN',
    message: /add awsirsa to --enabled-registration-drivers/,
  })
})

test('csr is refused where the API server says that it is one of EKS, and only there', () => {
  const eks = 'v1.34.1-eks-3cfe0ce'
  for (const flags of [csr, both])
    assert.throws(() => checkServer(hubDriversOf(flags), eks), {
      code: 'CSR_ON_EKS',
      message: /v1\.34\.1-eks-3cfe0ce.*signs no client certificates.*--enabled-registration-drivers=awsirsa/,
    })
  checkServer(hubDriversOf(aws), eks)
  for (const flags of [csr, aws, both]) checkServer(hubDriversOf(flags), 'v1.34.1')
})

test('flags of a driver that is not asked for are no silent wish', () => {
  const tags = { ...csr, awsResourceTags: ['a=b'] }
  assert.throws(() => hubDriversOf(tags), { code: 'FLAG_NEEDS_DRIVER', message: /--aws-resource-tags has no effect/ })
  assert.throws(() => hubDriversOf({ ...csr, autoApprovedArnPatterns: ['a'] }), { code: 'FLAG_NEEDS_DRIVER' })
})

test('patterns let nobody in without the gate, and so are refused', () => {
  const patterns = { ...aws, autoApprovedArnPatterns: ['arn:.*'] }
  assert.throws(() => hubDriversOf(patterns), {
    code: 'APPROVAL_WITHOUT_GATE',
    message: /--auto-approved-arn-patterns/,
  })
  const on = { ...patterns, featureGates: { ManagedClusterAutoApproval: true } }
  assert.deepEqual(hubDriversOf(on).aws?.autoApprovedArnPatterns, ['arn:.*'])
})
