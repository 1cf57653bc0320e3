import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { runInTest } from '../../../test/support/fleet-scene.ts'
import { MemoryKube, unreachable } from '../../../test/support/memory-kube.ts'
import type { TestScope } from '../../../test/support/test-scope.ts'
import { ManagedClusterAddOn } from '../../apis/addon/managed-cluster-addon.ts'
import { passBy } from '../../core/checkpoint.ts'
import { silentLog } from '../../core/log.ts'
import { noMetrics } from '../../core/metrics.ts'
import { randomFrom } from '../../core/random.ts'
import { addonConditions } from '../../fleet/names.ts'
import { certificateSigningRequests } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Registration } from '../registrations.ts'
import { defaultAddonSettings } from './deps.ts'
import { addonAgent } from './index.ts'
import { kubeClientItem, signerItem } from './testing/builders.ts'

/** An add-on on a hub of this version, which may not tell it at first, and what its agent has come to. */
async function addonOn(t: TestScope, gitVersion: string, registrations: Registration[], silentFor = 0) {
  const clock = new FakeClock()
  const [memory, spoke] = [new MemoryKube(clock), new MemoryKube(clock)]
  let asked = 0
  const kube: Kube = {
    of: (resource, namespace) => memory.of(resource, namespace),
    request: async <R>() => {
      asked += 1
      if (asked <= silentFor) throw unreachable()
      return { gitVersion } as R
    },
  }
  const agent = addonAgent({
    management: spoke,
    spoke,
    clock,
    random: randomFrom(() => 0.5),
    log: silentLog,
    metrics: noMetrics,
    checkpoint: passBy,
    settings: { ...defaultAddonSettings, namespace: 'agent', kubeClientDriver: 'csr' },
  })
  const addons = memory.of(ManagedClusterAddOn.resource, 'west')
  await addons.create({ metadata: { name: 'chart' }, spec: {}, status: { registrations } })
  runInTest(t, [agent.on({ cluster: 'west', agent: 'a1', kube, stanza: { name: 'hub', server: 'https://hub' } })])
  await clock.settle(200)
  const { status } = await addons.get('chart')
  const applied = status?.conditions?.find(({ type }) => type === addonConditions.registrationApplied)
  const csrs = await memory.of(certificateSigningRequests).list()
  return { status, applied, signers: csrs.items.map(({ spec }) => spec.signerName), asked }
}

test('on a hub that is an EKS cluster an add-on by certificate is refused with what to do, and nothing waits', async (t) => {
  const { applied, signers, asked } = await addonOn(t, 'v1.33.1-eks-1fbb135', [kubeClientItem])
  assert.deepEqual([applied?.status, applied?.reason], ['False', 'RegistrationRefused'])
  assert.match(applied?.message ?? '', /^kubeClient: .*EKS.*--addon-kubeclient-registration-auth=token/)
  assert.deepEqual(signers, [])
  assert.equal(asked, 1)
})

test('there a custom signer of the same add-on is still asked', async (t) => {
  const { applied, signers } = await addonOn(t, 'v1.33.1-eks-1fbb135', [kubeClientItem, signerItem()])
  assert.equal(applied?.reason, 'RegistrationRefused')
  assert.deepEqual(signers, ['example.com/one'])
})

test('on any other hub the certificate is asked for', async (t) => {
  const { applied, signers } = await addonOn(t, 'v1.36.2', [kubeClientItem])
  assert.equal(applied?.reason, 'RegistrationDeclared')
  assert.deepEqual(signers, ['kubernetes.io/kube-apiserver-client'])
})

test('a hub that does not say at first what it is keeps nothing waiting, and is known once it does', async (t) => {
  const other = await addonOn(t, 'v1.36.2', [kubeClientItem], Number.POSITIVE_INFINITY)
  assert.equal(other.applied?.reason, 'RegistrationDeclared')
  assert.deepEqual(other.signers, ['kubernetes.io/kube-apiserver-client'])
  const eks = await addonOn(t, 'v1.33.1-eks-1fbb135', [kubeClientItem], 1)
  assert.equal(eks.applied?.reason, 'RegistrationRefused')
})
