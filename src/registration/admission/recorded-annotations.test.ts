import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentUser, annotations } from '../../fleet/names.ts'
import { spokeAnnotations } from '../../fleet/spoke/names.ts'
import { awsAnnotations } from '../drivers/marks.ts'
import { annotationForbidden, recordAnnotations } from './recorded-annotations.ts'

const {
  createdBy,
  unjoinedAt,
  agentName,
  replaceAgent,
  automaticallyAcceptedOn,
  acceptedBefore,
  agentPrefix,
  awsRole,
} = annotations
const now = new Date('2026-03-01T12:00:00Z')
const jane = { username: 'jane' }
const own = { username: agentUser('west', 'a1') }
const open = { annotations: {}, accepted: true }
const shut = { annotations: {}, accepted: false }

test('the creator is who asks at creation, and stays', () => {
  const sent = { annotations: { [createdBy]: 'x', note: 'n' }, accepted: false }
  const at = (old: typeof shut | undefined) => recordAnnotations({ name: 'west', requester: jane, old, sent }, now)
  assert.deepEqual(at(undefined), { [createdBy]: 'jane', note: 'n' })
  assert.deepEqual(at({ ...shut, annotations: { [createdBy]: 'joe' } }), { [createdBy]: 'joe', note: 'n' })
  assert.deepEqual(at(shut), { note: 'n' })
})

test('only the own agent of an accepted cluster unjoins it', () => {
  const at = (requester: object, old: typeof open) =>
    recordAnnotations({ name: 'west', requester, old, sent: shut }, now)[unjoinedAt]
  assert.equal(at(own, open), '2026-03-01T12:00:00Z')
  for (const byAws of [
    { username: 'open-cluster-management:west', groups: ['open-cluster-management:west'] },
    { username: 'system:open-cluster-management:west:awsirsa', groups: ['system:open-cluster-management:west'] },
    { username: 'arn:aws:x', groups: ['open-cluster-management:west'] },
  ])
    assert.equal(at(byAws, open), '2026-03-01T12:00:00Z', byAws.username)
  assert.equal(at(own, shut), undefined)
  for (const other of [
    jane,
    {},
    { username: agentUser('west1', 'a1') },
    { username: `${agentUser('west', 'a1')}:addon` },
    { username: 'x', groups: ['system:open-cluster-management:west1'] },
    { username: 'open-cluster-management:west1', groups: ['open-cluster-management:west1'] },
  ])
    assert.equal(at(other, open), undefined)
})

test('that it unjoined stays until it is accepted again, whatever is sent', () => {
  const old = { annotations: { [unjoinedAt]: 'then' }, accepted: false }
  const at = (sent: typeof open) => recordAnnotations({ name: 'west', requester: own, old, sent }, now)[unjoinedAt]
  assert.equal(at(shut), 'then')
  assert.equal(at({ annotations: { [unjoinedAt]: 'later' }, accepted: false }), 'then')
  assert.equal(at({ annotations: { [unjoinedAt]: 'then' }, accepted: true }), undefined)
})

test('a new cluster has neither an agent nor anything in AWS yet', () => {
  const claims = { [agentName]: 'a', [replaceAgent]: 'b', [unjoinedAt]: 'c', [awsRole]: 'ocm-hub-1:aws-auth' }
  const sent = { annotations: claims, accepted: false }
  const stored = recordAnnotations({ name: 'west', requester: jane, old: undefined, sent }, now)
  assert.deepEqual(stored, { [createdBy]: 'jane' })
})

test('a way into a cluster is asked for by people of the hub: not by whoever asks to join, nor by an agent', () => {
  const { reach } = spokeAnnotations
  const sent = { annotations: { [reach]: 'true' }, accepted: false }
  const at = (change: Pick<Parameters<typeof recordAnnotations>[0], 'old' | 'sent'>) =>
    recordAnnotations({ name: 'west', requester: jane, ...change }, now)[reach]
  assert.equal(at({ old: undefined, sent }), undefined)
  // To accept takes a right of its own.
  assert.equal(at({ old: undefined, sent: { ...sent, accepted: true } }), 'true')
  assert.equal(at({ old: open, sent: { ...sent, accepted: true } }), 'true')
  const forbidden = (old: object, now: object) =>
    annotationForbidden({
      name: 'west',
      requester: own,
      old: { ...open, annotations: { ...old } },
      sent: { ...open, annotations: { ...now } },
    })
  assert.equal(forbidden({}, { [reach]: 'true' }), reach)
  assert.equal(forbidden({ [reach]: 'true' }, {}), reach)
})

test('that a cluster was accepted once stays, whoever takes it back and whatever is sent', () => {
  const at = (sent: typeof open, old?: typeof open) =>
    recordAnnotations({ name: 'west', requester: jane, old, sent }, now)[acceptedBefore]
  const before = { annotations: { [acceptedBefore]: 'then' }, accepted: false }
  assert.equal(at(open), '2026-03-01T12:00:00Z')
  assert.equal(at(before), undefined)
  assert.equal(at(open, shut), '2026-03-01T12:00:00Z')
  assert.equal(at(shut, open), '2026-03-01T12:00:00Z')
  assert.equal(at(shut, before), 'then')
  assert.equal(at({ annotations: { [acceptedBefore]: 'x' }, accepted: false }, shut), undefined)
})

test('agents may not change what the hub decides by, added, changed or removed', () => {
  const agents = [
    own,
    { username: agentUser('other', 'a') },
    { username: 'x', groups: ['system:open-cluster-management:managed-clusters'] },
    { username: 'open-cluster-management:west', groups: ['open-cluster-management:west'] },
    { username: 'open-cluster-management:other', groups: ['open-cluster-management:other'] },
    { username: 'x', groups: ['open-cluster-management:west'] },
  ]
  const at = (requester: object, before: object, after: object) =>
    annotationForbidden({
      name: 'west',
      requester,
      old: { annotations: { ...before }, accepted: true },
      sent: { annotations: { ...after }, accepted: true },
    })
  for (const agent of agents)
    for (const key of [agentName, replaceAgent, automaticallyAcceptedOn, awsRole, 'lanyard.io/new', 'note']) {
      assert.equal(at(agent, {}, { [key]: 'v' }), key)
      assert.equal(at(agent, { [key]: 'v' }, {}), key)
      assert.equal(at(agent, { [key]: 'v' }, { [key]: 'w' }), key)
      assert.equal(at(agent, { [key]: 'v' }, { [key]: 'v', [`${agentPrefix}x`]: 'n' }), undefined)
      assert.equal(at(jane, { [key]: 'v' }, {}), undefined)
    }
  // Recorded by admission itself in the same request.
  assert.equal(at(own, {}, { [unjoinedAt]: 'now' }), undefined)
})

test('whose role a cluster gets in AWS is settled with its acceptance, for its agents and not for people', () => {
  const { fieldArn, fieldSuffix, arn } = awsAnnotations
  const marks = { [fieldArn]: 'a', [fieldSuffix]: 's', [arn]: 'a' }
  const agents = [own, { username: 'open-cluster-management:west', groups: ['open-cluster-management:west'] }]
  const at = (requester: object, old: Parameters<typeof annotationForbidden>[0]['old'], after: object) =>
    annotationForbidden({ name: 'west', requester, old, sent: { annotations: { ...after }, accepted: true } })
  const settled = [
    { annotations: marks, accepted: true },
    { annotations: { ...marks, [acceptedBefore]: 'then' }, accepted: false },
  ]
  for (const old of settled)
    for (const agent of agents) {
      for (const key of [fieldArn, fieldSuffix, arn]) {
        assert.equal(at(agent, old, { ...old.annotations, [key]: 'b' }), key)
        assert.equal(at(agent, old, { ...old.annotations, [key]: undefined }), key)
        assert.equal(at(jane, old, { ...old.annotations, [key]: 'b' }), undefined)
      }
      // As agents of the field do with each update.
      assert.equal(at(agent, old, { ...old.annotations, [`${agentPrefix}x`]: 'n' }), undefined)
    }
  for (const agent of agents) {
    assert.equal(at(agent, { annotations: {}, accepted: true }, { [fieldArn]: 'b' }), fieldArn)
    assert.equal(at(agent, { annotations: marks, accepted: false }, { ...marks, [fieldArn]: 'b' }), undefined)
  }
})
