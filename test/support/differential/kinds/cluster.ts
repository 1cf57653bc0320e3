import type { Dice } from '../dice.ts'
import type { KindUnderTest } from './kind.ts'

export const namespaces: KindUnderTest = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
  crowded: true,
  names: ['n1', 'n2', 'n3'],
  subresources: ['status', 'finalize'],
  pointers: ['/spec', '/spec/finalizers', '/spec/finalizers/0', '/status/phase'],
  fieldSelectors: ['status.phase=Active', 'status.phase!=Active'],
  body: (dice) => ({
    ...(dice.chance(0.3) && { spec: { finalizers: dice.some(['kubernetes', 'example.com/f', 'nosuch'], 0.4) } }),
  }),
  status: (dice) => ({
    phase: dice.pick(['Active', 'Terminating', 'Odd']),
    ...(dice.chance(0.5) && { conditions: [{ type: 'NamespaceDeletionContentFailure', status: 'True' }] }),
  }),
}

const micro = '2026-01-02T03:04:05.000006Z'

export const leases: KindUnderTest = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
  pointers: ['/spec', '/spec/holderIdentity', '/spec/leaseDurationSeconds', '/spec/renewTime'],
  body: (dice) => ({
    ...(dice.chance(0.9) && {
      spec: {
        ...(dice.chance(0.7) && { holderIdentity: dice.pick(['me', 'you', '']) }),
        ...(dice.chance(0.6) && { leaseDurationSeconds: dice.pick([1, 15, 0, -1]) }),
        ...(dice.chance(0.4) && { acquireTime: micro, renewTime: dice.pick([micro, '2026-01-02T03:04:05Z', 'soon']) }),
        ...(dice.chance(0.3) && { leaseTransitions: dice.pick([0, 1, -1]) }),
        ...(dice.chance(0.1) && { strategy: dice.pick(['OldestEmulationVersion', 'Odd', '']) }),
        ...(dice.chance(0.1) && { preferredHolder: dice.pick(['you', '']) }),
      },
    }),
  }),
}

/** Of a key that nobody has: CN=sample. */
const request = 'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K'

const usages = ['client auth', 'digital signature', 'key encipherment', 'server auth', 'odd']

export const signingRequests = (pem: string): KindUnderTest => ({
  group: 'certificates.k8s.io',
  version: 'v1',
  plural: 'certificatesigningrequests',
  kind: 'CertificateSigningRequest',
  namespaced: false,
  subresources: ['status', 'approval'],
  pointers: ['/spec', '/spec/usages', '/spec/signerName', '/spec/request', '/status/conditions'],
  fieldSelectors: ['spec.signerName=example.com/nobody', 'spec.signerName!=example.com/nobody'],
  body: (dice) => ({
    spec: {
      request: dice.chance(0.95) ? Buffer.from(pem).toString('base64') : dice.pick([request, '', 'YQ==']),
      ...(dice.chance(0.97) && {
        signerName: dice.chance(0.8)
          ? 'example.com/nobody'
          : dice.pick([
              'kubernetes.io/kube-apiserver-client',
              'kubernetes.io/legacy-unknown',
              'noslash',
              'Example.com/X',
              '',
            ]),
      }),
      usages: dice.some(dice.chance(0.9) ? usages.slice(0, 3) : usages, 0.7),
      ...(dice.chance(0.2) && { expirationSeconds: dice.pick([600, 3600, 599, -1]) }),
      ...(dice.chance(0.1) && { username: 'forged', groups: ['forged'] }),
    },
  }),
  status: conditions,
})

function conditions(dice: Dice): Record<string, unknown> {
  const condition = () => ({
    type: dice.pick(['Approved', 'Denied', 'Failed', 'Approved', 'Other', '']),
    ...(dice.chance(0.95) && { status: dice.pick(['True', 'True', 'True', 'False', 'Odd']) }),
    ...(dice.chance(0.7) && { reason: 'Because', message: dice.pick(['one', 'two']) }),
  })
  return {
    ...(dice.chance(0.9) && { conditions: Array.from({ length: 1 + dice.below(2) }, condition) }),
    ...(dice.chance(0.1) && { certificate: dice.pick(['YQ==', '']) }),
  }
}

const condition = (dice: Dice) => ({
  type: dice.pick(['Ready', 'MemoryPressure']),
  status: dice.pick(['True', 'False', 'Unknown']),
  ...(dice.chance(0.5) && { reason: 'R', message: 'm', lastHeartbeatTime: '2026-01-02T03:04:05Z' }),
})

export const nodes: KindUnderTest = {
  group: '',
  version: 'v1',
  plural: 'nodes',
  kind: 'Node',
  namespaced: false,
  subresources: ['status'],
  pointers: ['/spec', '/spec/taints', '/spec/taints/0', '/spec/unschedulable', '/status/capacity'],
  fieldSelectors: ['spec.unschedulable=true', 'spec.unschedulable=false'],
  body: (dice) => ({
    spec: {
      ...(dice.chance(0.4) && { unschedulable: dice.chance(0.5) }),
      ...(dice.chance(0.4) && {
        taints: Array.from({ length: dice.below(3) }, () => ({
          key: dice.pick(['a', 'b', 'example.com/c', '-bad']),
          ...(dice.chance(0.6) && { value: dice.pick(['x', 'y']) }),
          effect: dice.pick(['NoSchedule', 'PreferNoSchedule', 'NoExecute', 'NoSchedule', 'Odd']),
        })),
      }),
      ...(dice.chance(0.2) && { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24'] }),
      ...(dice.chance(0.2) && { providerID: dice.pick(['cloud://1', 'cloud://2']) }),
    },
  }),
  status: (dice) => ({
    ...(dice.chance(0.5) && {
      capacity: { cpu: dice.pick(['1', '1000m', '0.5']), memory: dice.pick(['1Gi', '1024Mi']) },
    }),
    ...(dice.chance(0.5) && { allocatable: { cpu: '1', pods: '110' } }),
    ...(dice.chance(0.6) && { conditions: Array.from({ length: 1 + dice.below(2) }, () => condition(dice)) }),
    ...(dice.chance(0.3) && { addresses: [{ type: 'InternalIP', address: dice.pick(['10.0.0.1', '10.0.0.2']) }] }),
    ...(dice.chance(0.2) && { nodeInfo: { kubeletVersion: 'v1.36.3', osImage: 'x' } }),
  }),
}
