import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConditionStatus } from '../../core/conditions.ts'
import { reasons } from '../reasons.ts'
import { putTogether } from './reports.ts'
import { anItem, kubeClientItem, signerItem } from './testing/builders.ts'

const rotated = (status: ConditionStatus, message: string) => ({
  type: 'ClusterCertificateRotated',
  status,
  reason: status === 'True' ? reasons.ClientCertificateUpdated : reasons.ClientCertificateDenied,
  message,
})

test('what only one item tells is told as it is', () => {
  const condition = rotated('True', 'valid')
  assert.deepEqual(putTogether([{ item: anItem(), report: { conditions: [condition] } }]), [condition])
  assert.deepEqual(putTogether([{ item: anItem(), report: { conditions: [] } }]), [])
})

test('of several the worst gives status and reason, and each is named in the message', () => {
  const told = putTogether([
    { item: anItem(kubeClientItem), report: { conditions: [rotated('True', 'valid')] } },
    { item: anItem(signerItem('example.com/one')), report: { conditions: [rotated('Unknown', 'who knows')] } },
    { item: anItem(signerItem('example.com/two')), report: { conditions: [rotated('False', 'denied')] } },
  ])
  assert.deepEqual(told, [
    {
      type: 'ClusterCertificateRotated',
      status: 'False',
      reason: reasons.ClientCertificateDenied,
      message: 'example.com/two: denied; example.com/one: who knows; kubeClient: valid',
    },
  ])
})
