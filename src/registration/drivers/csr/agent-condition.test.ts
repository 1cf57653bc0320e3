import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reasons as coreReasons } from '../../../core/reasons.ts'
import { reasons } from '../../reasons.ts'
import { certificateCondition, troubleOf } from './agent-condition.ts'

test('a request on its way changes nothing that the hub was told', () => {
  for (const state of [coreReasons.AwaitingIssuer, coreReasons.AwaitingApproval])
    assert.equal(certificateCondition({ state, usable: true }, 'west', undefined), undefined)
})

test('a denial has its own reason, everything else is a failed update', () => {
  const told = (state: Parameters<typeof certificateCondition>[0]['state']) =>
    certificateCondition({ state, usable: true, message: 'why' }, 'west', undefined)
  assert.deepEqual(
    [told(reasons.ClientCertificateDenied)?.reason, told(reasons.ClientCertificateDenied)?.message],
    [reasons.ClientCertificateDenied, 'why'],
  )
  assert.equal(told(reasons.ClientCertificateCreationHalted)?.reason, reasons.ClientCertificateUpdateFailed)
  assert.equal(told(coreReasons.IssuanceFailed)?.reason, reasons.ClientCertificateUpdateFailed)
})

test('every trouble says what to do or what happens next', () => {
  assert.match(troubleOf({ state: reasons.ClientCertificateCreationHalted, usable: false }, 'west'), /remove old ones/)
  assert.match(
    troubleOf({ state: coreReasons.AwaitingApproval, usable: false }, 'west'),
    /administrator approves .*lanyard accept west$/,
  )
})
