import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordAnnotation, recordOn, recordText } from './hub-record.ts'

const read = (text: string) => recordOn({ metadata: { annotations: { [recordAnnotation]: text } } })

test('what is written is read again, each mapping once', () => {
  assert.equal(
    recordText({ role: 'ocm-hub-1', mappings: ['aws-auth', 'access-entry', 'aws-auth'] }),
    'ocm-hub-1:access-entry,aws-auth',
  )
  assert.deepEqual(read('ocm-hub-1:access-entry,aws-auth'), {
    role: 'ocm-hub-1',
    mappings: ['access-entry', 'aws-auth'],
  })
  assert.equal(recordOn({}), undefined)
})

test('what somebody else wrote there never names another role than one of a cluster', () => {
  for (const text of ['', 'admin:aws-auth', 'ocm-hub-1:aws-auth:x', 'ocm-hub-/../admin:aws-auth', 'OCM-HUB-1:aws-auth'])
    assert.equal(read(text), undefined, text)
  assert.deepEqual(read('ocm-hub-1:nothing'), { role: 'ocm-hub-1', mappings: [] })
})
