/** Who is in the groups of approvers, by identity providers that can be asked. A real Keycloak is in test/peers. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { BreakglassEscalation } from '../../../src/apis/breakglass/breakglass-escalation.ts'
import { IdentityProvider } from '../../../src/apis/breakglass/identity-provider.ts'
import { createLog } from '../../../src/core/log.ts'
import { createMetrics } from '../../../src/core/metrics.ts'
import { providerAnnotations } from '../../../src/fleet/names.ts'
import { events, secrets } from '../../../src/kube/kinds.ts'
import type { BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { uniqueName } from '../../support/builders.ts'
import { aCanary, assertNoCanary } from '../../support/canary.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { KeycloakStandIn } from '../../support/keycloak-stand-in.ts'
import { startKeycloakStandIn } from '../../support/keycloak-stand-in.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

describe('the members of approver groups', needsControlPlane, () => {
  const suite = suiteScope()
  const metrics = createMetrics()
  const logged: string[] = []
  const clientSecret = aCanary()
  let timed: TimedPlane
  let scene: BreakglassScene
  let keycloak: KeycloakStandIn

  before(async () => {
    timed = await timedPlane(suite)
    const log = createLog({ level: 'debug', destination: { write: (line) => logged.push(line) } })
    scene = await breakglassScene(suite, timed.plane, { clock: timed.clock, log, metrics: await metrics })
    keycloak = await startKeycloakStandIn(suite, clientSecret)
  })

  const escalations = () => scene.admin.of(BreakglassEscalation.resource, scene.namespace)
  const providers = () => scene.admin.of(IdentityProvider.resource)
  const encoded = (text: string) => Buffer.from(text).toString('base64')

  /** An IdentityProvider whose groups are read from the server; its name and that of its Secret. */
  async function provider(server: KeycloakStandIn, secretData = { 'client-secret': encoded(clientSecret) }) {
    const [name, secret] = [uniqueName('keycloak'), uniqueName('client')]
    await scene.admin.of(secrets, scene.namespace).create({ metadata: { name: secret }, data: secretData })
    const issuer = `${server.url}/realms/${server.realm}/${name}`
    await providers().create({
      metadata: { name },
      spec: {
        oidc: { authority: issuer, clientID: 'people', certificateAuthority: server.caPem },
        groupSyncProvider: 'Keycloak',
        keycloak: {
          ...{ baseURL: server.url, realm: server.realm, clientID: 'lanyard', certificateAuthority: server.caPem },
          ...{ clientSecretRef: { name: secret, namespace: scene.namespace }, cacheTTL: '10m', requestTimeout: '5s' },
        },
      },
    })
    return { name, secret }
  }
  async function escalation(groups: string[], more: object = {}): Promise<string> {
    const name = uniqueName('escalation')
    const spec = {
      escalatedGroup: 'admins',
      allowed: { clusters: ['*'], groups: ['devs'] },
      approvers: { groups },
      ...more,
    }
    await escalations().create({ metadata: { name }, spec })
    return name
  }
  const resolved = async (name: string) =>
    (await escalations().get(name)).status?.conditions?.find(({ type }) => type === 'ApprovalGroupMembersResolved')
  const healthy = async (name: string) =>
    (await providers().get(name)).status?.conditions?.find(({ type }) => type === 'GroupSyncHealthy')
  const until = (name: string, reason: string) =>
    eventually(`${name}: ${reason}`, async () => (await resolved(name))?.reason === reason)

  test('members are in the status at once, by provider and together, and follow the provider at the end of its cache', async () => {
    keycloak.groups.set('leads', ['Ann@Example.com', 'bob@example.com'])
    const { name: corp } = await provider(keycloak)
    const name = await escalation(['leads'], { allowedIdentityProviders: [corp] })
    await until(name, 'GroupMembersResolved')
    const { status } = await escalations().get(name)
    assert.deepEqual(status?.approverGroupMembers, { leads: ['ann@example.com', 'bob@example.com'] })
    assert.deepEqual(status?.idpGroupMemberships, { [corp]: { leads: ['ann@example.com', 'bob@example.com'] } })
    await eventually('so says the provider', async () => (await healthy(corp))?.reason === 'GroupSyncOperational')
    // What others say of the same objects stays.
    const types = (object: { status?: { conditions?: { type: string }[] } }) =>
      object.status?.conditions?.map(({ type }) => type)
    await eventually('it is Ready as well', async () => types(await escalations().get(name))?.includes('Ready'))
    await eventually('so is the provider looked at', async () => types(await providers().get(corp))?.includes('Ready'))
    assert.equal((await healthy(corp))?.reason, 'GroupSyncOperational')

    const asked = keycloak.asked.length
    await escalation(['leads'], { allowedIdentityProviders: [corp] })
    keycloak.groups.set('leads', ['cy@example.com'])
    await timed.clock.advance(60_000)
    assert.equal(keycloak.asked.length, asked, 'what is known is not asked for again')
    await eventually('it is asked again when its answers are old', async () => {
      await timed.clock.advance(60_000)
      return (await escalations().get(name)).status?.approverGroupMembers?.['leads']?.[0] === 'cy@example.com'
    })
    await providers().delete(corp)
    await eventually('a provider that goes takes its members along', async () => {
      const found = (await escalations().get(name)).status
      return Object.keys(found?.approverGroupMembers ?? {}).length === 0 && (await resolved(name)) === undefined
    })
  })

  test('F9l: a provider that calls a group of its own by the prefix of another provider makes nobody an approver', async () => {
    const annotate = (prefix: string | null) =>
      providers().patch(scene.provider, {
        type: 'merge',
        body: { metadata: { annotations: { [providerAnnotations.groupsPrefix]: prefix } } },
      })
    await annotate('corp:')
    keycloak.groups.set('corp:leads', ['mallory@example.com'])
    const { name: other } = await provider(keycloak)
    const name = await escalation(['corp:leads'])
    await until(name, 'GroupNotFound')
    assert.deepEqual((await escalations().get(name)).status?.idpGroupMemberships ?? {}, {})
    await providers().delete(other)
    await annotate(null)
  })

  test('a group that nobody knows and one that is empty are told, with an event', async () => {
    keycloak.groups.set('empty', [])
    const { name: corp } = await provider(keycloak)
    const unknown = await escalation(['nobody-knows'], { allowedIdentityProviders: [corp] })
    const empty = await escalation(['empty'], { allowedIdentityProviders: [corp] })
    await until(unknown, 'GroupNotFound')
    await until(empty, 'GroupMembersEmpty')
    await eventually('an event tells', async () =>
      (await scene.admin.of(events, scene.namespace).list()).items.some(
        ({ reason, involvedObject }) => reason === 'GroupNotFound' && involvedObject.name === unknown,
      ),
    )
    await providers().delete(corp)
  })

  test('what is wrong with a provider is told by its reason, heals with its Secret, and keeps what was known', async () => {
    keycloak.groups.set('night', ['dora@example.com'])
    const { name: corp, secret } = await provider(keycloak)
    const name = await escalation(['night'], { allowedIdentityProviders: [corp] })
    await until(name, 'GroupMembersResolved')
    const collection = scene.admin.of(secrets, scene.namespace)
    const reaches = (reason: string) =>
      eventually(`${corp}: ${reason}`, async () => (await healthy(corp))?.reason === reason)
    await collection.patch(secret, { type: 'merge', body: { data: { 'client-secret': encoded(' ') } } })
    await reaches('SecretKeyEmpty')
    await collection.patch(secret, { type: 'merge', body: { data: { 'client-secret': null } } })
    await reaches('SecretKeyNotFound')
    await collection.delete(secret)
    await reaches('SecretNotFound')
    await until(name, 'GroupSyncFailed')
    assert.deepEqual((await escalations().get(name)).status?.approverGroupMembers, { night: ['dora@example.com'] })
    await collection.create({ metadata: { name: secret }, data: { 'client-secret': encoded('wrong') } })
    await reaches('GroupSyncFailed')
    await collection.patch(secret, { type: 'merge', body: { data: { 'client-secret': encoded(clientSecret) } } })
    await reaches('GroupSyncOperational')
    keycloak.mood = 'refuse'
    await collection.patch(secret, { type: 'merge', body: { metadata: { labels: { touched: 'yes' } } } })
    await reaches('GroupSyncFailed')
    assert.match((await healthy(corp))?.message ?? '', /query-groups and view-users/)
    keycloak.mood = 'well'
    await eventually('it heals by itself', async () => {
      await timed.clock.advance(2_000)
      return (await healthy(corp))?.reason === 'GroupSyncOperational'
    })
    const shown = {
      logs: logged.join('\n'),
      metrics: await (await metrics).text(),
      events: JSON.stringify((await scene.admin.of(events).list()).items),
      providers: JSON.stringify((await providers().list()).items),
      escalations: JSON.stringify((await escalations().list()).items),
    }
    assertNoCanary(shown, clientSecret)
    await providers().delete(corp)
  })

  test('a provider that hangs holds up no other', async (t) => {
    const slow = await startKeycloakStandIn(t, clientSecret)
    slow.mood = 'hang'
    keycloak.groups.set('swift', ['ann@example.com'])
    const { name: hanging } = await provider(slow)
    const { name: corp } = await provider(keycloak)
    const name = await escalation(['swift'], { allowedIdentityProviders: [hanging, corp] })
    const startedAt = timed.clock.now().getTime()
    const passedMs = () => timed.clock.now().getTime() - startedAt
    await eventually(
      'the other has answered',
      async () => {
        if (passedMs() < 2_000) await timed.clock.advance(100)
        return (await escalations().get(name)).status?.approverGroupMembers?.['swift']
      },
      { clock: 'stands' },
    )
    assert.ok(passedMs() < 5_000)
    assert.equal((await resolved(name))?.reason, 'GroupSyncPending')
    await eventually('in the end it is told', async () => {
      await timed.clock.advance(5_000)
      return (await resolved(name))?.reason === 'GroupSyncFailed'
    })
    for (const one of [hanging, corp]) await providers().delete(one)
  })
})
