import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { BreakglassEscalation } from '../../apis/breakglass/breakglass-escalation.ts'
import type { Kube } from '../../kube/kube.ts'
import type { KubeObject, Resource } from '../../kube/objects.ts'
import { escalationCauses, readEscalationTroubles } from './escalation-troubles.ts'

test('docs/troubleshooting.md has a row for every cause that doctor names', async () => {
  const page = await readFile(new URL('../../../docs/troubleshooting.md', import.meta.url), 'utf8')
  assert.deepEqual(
    Object.keys(escalationCauses).filter((id) => !page.includes(`\n| \`${id}\` | `)),
    [],
  )
})

test('of one cluster those that lead to it are told; its ClusterConfig may say that nobody approves their own', async () => {
  const escalation = (name: string, clusters: string[], escalatedGroup = 'support') => ({
    metadata: { name, namespace: 'n' },
    spec: { escalatedGroup, allowed: { clusters, groups: ['developers'] }, approvers: { groups: ['leads'] } },
  })
  const stored = {
    escalations: [
      escalation('west', ['west']),
      escalation('east', ['east']),
      escalation('all', ['*'], 'system:masters'),
      escalation('blocked', ['blocked']),
    ],
    configs: [{ metadata: { name: 'blocked', namespace: 'n' }, spec: { blockSelfApproval: true } }],
  }
  const kube = {
    of: ({ plural }: Resource<KubeObject>) => ({
      list: async () => ({
        items: plural === BreakglassEscalation.resource.plural ? stored.escalations : stored.configs,
      }),
    }),
  } as unknown as Kube
  const told = async (cluster?: string) => {
    const troubles = await readEscalationTroubles(kube, { cluster, signal: AbortSignal.timeout(30_000) })
    return troubles.map(({ id, evidence }) => `${id} ${evidence.split(' ')[0]}`)
  }
  assert.deepEqual(await told('west'), [
    'escalation-self-approval n/west',
    'escalation-system-group n/all',
    'escalation-self-approval n/all',
  ])
  assert.deepEqual(await told(), [
    'escalation-self-approval n/west',
    'escalation-self-approval n/east',
    'escalation-system-group n/all',
    'escalation-self-approval n/all',
  ])
})
