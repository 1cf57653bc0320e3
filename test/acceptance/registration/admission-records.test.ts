/** What admission records of a cluster, who may not touch it, and what happens when admission cannot be asked. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { agentUser, annotations, clusterGroup } from '../../../src/fleet/names.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { awsAnnotations } from '../../../src/registration/drivers/marks.ts'
import { clientAs } from '../../support/access-scene.ts'
import { refusalOf } from '../../support/admission-hook.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { installFleetKinds } from '../../support/fleet-scene.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { WebhookScene } from '../../support/webhook-scene.ts'
import { serveWebhooks } from '../../support/webhook-scene.ts'

const {
  createdBy,
  acceptedBefore,
  unjoinedAt,
  agentName,
  replaceAgent,
  certificateExpiresAt,
  automaticallyAcceptedOn,
} = annotations

const clustersOf = (kube: Kube) => kube.of(ManagedCluster.resource)

const patchCluster = (kube: Kube, name: string, body: object) => clustersOf(kube).patch(name, { type: 'merge', body })

const annotate = (kube: Kube, name: string, changes: Record<string, string | null>) =>
  patchCluster(kube, name, { metadata: { annotations: changes } })

const setAccepted = (kube: Kube, name: string, hubAcceptsClient: boolean) =>
  patchCluster(kube, name, { spec: { hubAcceptsClient } })

const codeOf = async (call: Promise<unknown>) => (await refusalOf(call)).code

describe('what admission records', needsControlPlane, () => {
  const clock = new FakeClock('2026-03-01T12:00:00Z')
  const suite = suiteScope()
  let plane: ControlPlane
  let scene: WebhookScene
  let admin: Kube
  let reviewsFail = false

  const annotationOf = async (name: string, key: string) =>
    (await clustersOf(admin).get(name)).metadata.annotations?.[key]

  before(async () => {
    plane = await startControlPlane(suite, {})
    admin = kubeClient(suite, plane.connection())
    await installFleetKinds(admin)
    await clustersOf(admin).create({
      metadata: { name: 'old.and.odd', finalizers: ['lanyard.io/test'] },
      spec: {
        hubAcceptsClient: true,
        managedClusterClientConfigs: [{ url: 'http://unsafe.example' }],
        taints: [
          { key: 'a', effect: 'NoSelect', timeAdded: '2020-01-01T00:00:00Z' },
          { key: 'b', effect: 'NoSelect' },
        ],
      },
    })
    const hub: Kube = {
      of: (resource, namespace) => {
        if (reviewsFail && resource.plural === 'subjectaccessreviews') throw new Error('inner words')
        return admin.of(resource, namespace)
      },
      request: (request) => admin.request(request),
    }
    scene = await serveWebhooks(suite, plane, { clock, hub })
  })

  test('a cluster tells who created it, whatever anybody else says of that', async () => {
    const creator = await scene.user('creator')
    const claims = { [createdBy]: 'somebody', [agentName]: 'forged', [replaceAgent]: 'x', [certificateExpiresAt]: 'y' }
    await clustersOf(creator).create({ metadata: { name: 'made', annotations: { ...claims, note: 'kept' } } })
    assert.deepEqual((await clustersOf(admin).get('made')).metadata.annotations, {
      [createdBy]: 'creator',
      note: 'kept',
    })
    for (const kube of [creator, admin])
      for (const claim of ['somebody', '', null]) await annotate(kube, 'made', { [createdBy]: claim })
    const applied = { metadata: { name: 'made', annotations: { [createdBy]: 'applied' } } }
    await clustersOf(admin).apply(applied, { fieldManager: 'other', force: true })
    await clustersOf(admin).apply({ metadata: { name: 'made' } }, { fieldManager: 'other', force: true })
    assert.equal(await annotationOf('made', createdBy), 'creator')

    // Nobody becomes the creator of what was there before.
    await annotate(creator, 'old.and.odd', { [createdBy]: 'creator', note: 'there' })
    assert.equal(await annotationOf('old.and.odd', 'note'), 'there')
    assert.equal(await annotationOf('old.and.odd', createdBy), undefined)
  })

  test('a cluster tells when its own agent took it off the hub, and nobody else can say so', async () => {
    const own = await scene.user(agentUser('leaving', 'a1'))
    const near = await scene.user(agentUser('leaving1', 'a1'))
    const claim = { [unjoinedAt]: '2020-01-01T00:00:00Z' }
    const accepted = { spec: { hubAcceptsClient: true } }
    await clustersOf(admin).create({ metadata: { name: 'leaving', annotations: claim }, ...accepted })
    assert.equal(await annotationOf('leaving', unjoinedAt), undefined)
    for (const kube of [admin, own]) await annotate(kube, 'leaving', claim)
    assert.equal(await annotationOf('leaving', unjoinedAt), undefined)

    // A denial is no unjoin, and the agent of a cluster with a longer name may not deny.
    assert.equal(await codeOf(setAccepted(near, 'leaving', false)), 403)
    await setAccepted(admin, 'leaving', false)
    assert.equal(await annotationOf('leaving', unjoinedAt), undefined)
    await setAccepted(admin, 'leaving', true)

    await setAccepted(own, 'leaving', false)
    assert.equal(await annotationOf('leaving', unjoinedAt), '2026-03-01T12:00:00Z')
    await clock.advance('1h')
    for (const kube of [own, near, admin]) {
      await annotate(kube, 'leaving', claim)
      await annotate(kube, 'leaving', { [unjoinedAt]: null })
      await setAccepted(kube, 'leaving', false)
    }
    assert.equal(await annotationOf('leaving', unjoinedAt), '2026-03-01T12:00:00Z')
    await setAccepted(admin, 'leaving', true)
    assert.equal(await annotationOf('leaving', unjoinedAt), undefined)
  })

  test('an agent may write its cluster, but not the annotations that the hub decides by', async () => {
    const own = await scene.user(agentUser('written', 'a1'))
    await clustersOf(admin).create({ metadata: { name: 'written' }, spec: { hubAcceptsClient: true } })
    const theHubs = {
      [agentName]: 'a1',
      [certificateExpiresAt]: '2027-01-01T00:00:00Z',
      [automaticallyAcceptedOn]: 't',
    }
    await annotate(admin, 'written', theHubs)
    for (const key of [...Object.keys(theHubs), replaceAgent, 'lanyard.io/anything', 'note'])
      for (const value of ['a2', null]) {
        if (value === null && !(key in theHubs)) continue
        const refused = await refusalOf(annotate(own, 'written', { [key]: value }))
        assert.deepEqual([refused.code, refused.reason], [403, 'Forbidden'], key)
        assert.ok(refused.message.includes(`metadata.annotations[${key}]`), refused.message)
      }
    const fine = `${annotations.agentPrefix}note`
    await annotate(own, 'written', { [fine]: 'fine', [createdBy]: 'me', [acceptedBefore]: null })
    assert.equal(await annotationOf('written', fine), 'fine')
    assert.match((await annotationOf('written', acceptedBefore)) ?? 'none', /^2026-03-01T/)
    assert.equal(await annotationOf('written', agentName), 'a1')
    await annotate(admin, 'written', { [replaceAgent]: 'a2' })
  })

  test('agents that came by AWS IAM are known as agents: they leave, and change nothing that was settled', async () => {
    const { awsRole } = annotations
    const { arn, fieldArn, fieldSuffix } = awsAnnotations
    const marks = { [arn]: 'a', [fieldArn]: 'a', [fieldSuffix]: 's' }
    const clientOf = async (user: string, group: string) => {
      await scene.user(user)
      return await clientAs(suite, plane, user, [group])
    }
    const agentsOf = (cluster: string) => [
      [`open-cluster-management:${cluster}`, `open-cluster-management:${cluster}`] as const,
      [agentUser(cluster, 'awsirsa'), clusterGroup(cluster)] as const,
    ]
    for (const [index, [user, group]] of agentsOf('cloudy').entries()) {
      const own = await clientOf(user, group)
      const near = await clientOf(...(agentsOf('cloudy1')[index] ?? [user, group]))
      const forged = { ...marks, [awsRole]: 'ocm-hub-1:aws-auth' }
      await clustersOf(admin).create({ metadata: { name: 'cloudy', annotations: forged } })
      assert.equal(await annotationOf('cloudy', awsRole), undefined)
      await setAccepted(admin, 'cloudy', true)
      await annotate(admin, 'cloudy', { [awsRole]: 'ocm-hub-2:aws-auth' })
      for (const agent of [own, near])
        for (const key of [awsRole, ...Object.keys(marks)])
          for (const value of ['other', null]) {
            const refused = await refusalOf(annotate(agent, 'cloudy', { [key]: value }))
            assert.deepEqual([refused.code, refused.reason], [403, 'Forbidden'], `${user} ${key}`)
            assert.ok(refused.message.includes(`metadata.annotations[${key}]`), refused.message)
          }
      await annotate(own, 'cloudy', { ...marks, [`${annotations.agentPrefix}note`]: 'fine' })
      await annotate(admin, 'cloudy', { [fieldArn]: 'b', [arn]: 'b' })
      await setAccepted(own, 'cloudy', false)
      assert.ok(await annotationOf('cloudy', unjoinedAt))
      assert.equal(await codeOf(annotate(own, 'cloudy', { [fieldArn]: 'c' })), 403)
      await clustersOf(admin).delete('cloudy')
    }
  })

  test('an agent may say how its cluster is reached, and change nothing that people decide by', async () => {
    const own = await scene.user(agentUser('ruled', 'a1'))
    const finalizers = ['example.com/held']
    const quarantine = { key: 'quarantine', effect: 'NoSelect' as const }
    await clustersOf(admin).create({
      metadata: { name: 'ruled', finalizers, labels: { env: 'test' } },
      spec: { hubAcceptsClient: true, taints: [quarantine] },
    })
    const changes: [string, object][] = [
      ['metadata.labels[env]', { metadata: { labels: { env: 'prod' } } }],
      ['metadata.labels[team]', { metadata: { labels: { team: 'x' } } }],
      ['metadata.finalizers', { metadata: { finalizers: null } }],
      ['spec.taints', { spec: { taints: null } }],
      ['spec.leaseDurationSeconds', { spec: { leaseDurationSeconds: 3_600 } }],
    ]
    for (const [field, body] of changes) {
      const refused = await refusalOf(patchCluster(own, 'ruled', body))
      assert.deepEqual([refused.code, refused.reason], [403, 'Forbidden'], field)
      assert.ok(refused.message.includes(field), refused.message)
    }
    // As agents of the field do: the whole object, with one address more.
    const read = await clustersOf(own).get('ruled')
    const managedClusterClientConfigs = [{ url: 'https://api.example.com' }]
    await clustersOf(own).update({ ...read, spec: { ...read.spec, managedClusterClientConfigs } })
    await setAccepted(own, 'ruled', false)
    const { metadata, spec } = await clustersOf(admin).get('ruled')
    assert.deepEqual(metadata.finalizers, finalizers)
    assert.deepEqual(spec?.managedClusterClientConfigs, managedClusterClientConfigs)
    await patchCluster(admin, 'ruled', { metadata: { finalizers: null, labels: { env: 'prod' } } })
  })

  test('a cluster that is being deleted loses its finalizers, whatever is wrong with it', async () => {
    const plain = await scene.user('cleaner')
    await clustersOf(admin).delete('old.and.odd')
    const { metadata, spec } = await clustersOf(admin).get('old.and.odd')
    assert.ok(metadata.deletionTimestamp)
    assert.equal(spec?.managedClusterClientConfigs?.[0]?.url, 'http://unsafe.example')
    await patchCluster(plain, 'old.and.odd', { metadata: { finalizers: null } })
    assert.equal(await clustersOf(admin).find('old.and.odd'), undefined)
  })

  test('while access cannot be reviewed, nobody is accepted, and the rest goes on', async () => {
    await clustersOf(admin).create({ metadata: { name: 'unsure' } })
    reviewsFail = true
    try {
      const refused = await refusalOf(setAccepted(admin, 'unsure', true))
      assert.equal(refused.code, 500)
      assert.match(refused.message, /the hub could not decide about this request/)
      assert.equal(refused.message.includes('inner words'), false)
      await annotate(admin, 'unsure', { note: 'fine' })
      await setAccepted(admin, 'unsure', false)
    } finally {
      reviewsFail = false
    }
    await setAccepted(admin, 'unsure', true)
  })

  test('while the server of the webhooks is down, no cluster is created or changed, but its status is reported', async () => {
    await clustersOf(admin).create({ metadata: { name: 'reported' } })
    await scene.stop()
    assert.equal(await codeOf(clustersOf(admin).create({ metadata: { name: 'late' } })), 500)
    assert.equal(await codeOf(setAccepted(admin, 'reported', true)), 500)
    assert.equal(await clustersOf(admin).find('late'), undefined)
    const body = { status: { version: { kubernetes: 'v1.34.0' } } }
    await clustersOf(admin).patch('reported', { type: 'merge', body }, { subresource: 'status' })
    assert.equal((await clustersOf(admin).get('reported')).status?.version?.kubernetes, 'v1.34.0')
    assert.equal(await clustersOf(admin).delete('reported'), true)
  })
})
