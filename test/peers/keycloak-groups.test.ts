/** Who is in the groups of approvers, by a real Keycloak and with no more rights there than the docs ask for. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { BreakglassEscalation } from '../../src/apis/breakglass/breakglass-escalation.ts'
import { IdentityProvider } from '../../src/apis/breakglass/identity-provider.ts'
import { secrets } from '../../src/kube/kinds.ts'
import type { BreakglassScene } from '../support/breakglass-scene.ts'
import { breakglassScene } from '../support/breakglass-scene.ts'
import { needsControlPlane, startControlPlane } from '../support/control-plane.ts'
import { eventually } from '../support/eventually.ts'
import type { Keycloak } from '../support/keycloak.ts'
import { startKeycloak } from '../support/keycloak.ts'
import { peer } from '../support/peer.ts'
import { suiteScope } from '../support/suite-scope.ts'

let whySkip: string | false = needsControlPlane.skip
const program = peer(
  {
    skip(reason = '') {
      whySkip = reason
    },
  },
  'kc.sh',
)
const realm = 'people'
const client = { id: 'lanyard-groups', secret: 'of-lanyard-groups' }
const user = (name: string, groups: string[], more: object = {}) => ({
  ...{ username: name, email: `${name}@Example.com`, emailVerified: true, enabled: true, groups, ...more },
})

describe('groups of a real Keycloak', { skip: whySkip }, () => {
  const suite = suiteScope()
  let keycloak: Keycloak
  let scene: BreakglassScene
  const provider = 'corp'

  before(async () => {
    keycloak = await startKeycloak(suite, program ?? '')
    await keycloak.manage('POST', '', {
      ...{ realm, enabled: true },
      groups: [
        { name: 'leads', subGroups: [{ name: 'night' }, { name: 'day' }] },
        { name: 'others', subGroups: [{ name: 'night' }] },
        { name: 'many' },
      ],
      clients: [
        {
          ...{ clientId: client.id, secret: client.secret, publicClient: false, standardFlowEnabled: false },
          serviceAccountsEnabled: true,
        },
      ],
      users: [
        user('ann', ['/leads', '/leads/day']),
        user('bob', ['/leads/night']),
        user('gone', ['/leads'], { enabled: false }),
        ...Array.from({ length: 120 }, (_, at) => user(`user-${at}`, ['/many'])),
        {
          ...{ username: `service-account-${client.id}`, serviceAccountClientId: client.id, enabled: true },
          clientRoles: { 'realm-management': ['query-groups', 'view-users'] },
        },
      ],
    })
    const plane = await startControlPlane(suite, { controllers: false })
    scene = await breakglassScene(suite, plane)
    await secret(client.secret)
    await scene.admin.of(IdentityProvider.resource).create({
      metadata: { name: provider },
      spec: {
        oidc: { authority: keycloak.issuer(realm), clientID: 'people', certificateAuthority: keycloak.caPem },
        groupSyncProvider: 'Keycloak',
        keycloak: {
          ...{ baseURL: keycloak.url, realm, clientID: client.id, certificateAuthority: keycloak.caPem },
          ...{ clientSecretRef: { name: 'groups', namespace: scene.namespace }, cacheTTL: '2s' },
        },
      },
    })
  })

  async function secret(value: string): Promise<void> {
    const collection = scene.admin.of(secrets, scene.namespace)
    const data = { 'client-secret': Buffer.from(value).toString('base64') }
    const options = { fieldManager: 'test', force: true }
    await collection.apply({ metadata: { name: 'groups' }, data }, options)
  }
  async function escalation(name: string, groups: string[]): Promise<void> {
    const spec = { escalatedGroup: 'admins', allowed: { clusters: ['*'], groups: ['devs'] }, approvers: { groups } }
    const allowedIdentityProviders = [provider]
    await scene.admin
      .of(BreakglassEscalation.resource, scene.namespace)
      .create({ metadata: { name }, spec: { ...spec, allowedIdentityProviders } })
  }
  const statusOf = async (name: string) =>
    (await scene.admin.of(BreakglassEscalation.resource, scene.namespace).get(name)).status
  const until = (name: string, reason: string) =>
    eventually(`${name}: ${reason}`, () => statusOf(name), {
      until: (status) =>
        status?.conditions?.some((one) => one.type === 'ApprovalGroupMembersResolved' && one.reason === reason) ??
        false,
    })
  const health = (reason: string) =>
    eventually(`the provider: ${reason}`, async () =>
      (await scene.admin.of(IdentityProvider.resource).get(provider)).status?.conditions?.find(
        (one) => one.type === 'GroupSyncHealthy' && one.reason === reason,
      ),
    )

  test('members are found by name and by path, page by page, without those who are locked out', async () => {
    await escalation('found', ['leads', '/leads/night', 'day', 'many'])
    const status = await until('found', 'GroupMembersResolved')
    const members = status?.approverGroupMembers
    assert.deepEqual(members?.['leads'], ['ann@example.com'])
    assert.deepEqual(members?.['/leads/night'], ['bob@example.com'])
    assert.deepEqual(members?.['day'], ['ann@example.com'])
    assert.equal(members?.['many']?.length, 120)
    await health('GroupSyncOperational')
  })

  test('a name that several groups have is told, and a group that is not there', async () => {
    await escalation('ambiguous', ['night'])
    const status = await until('ambiguous', 'GroupSyncFailed')
    assert.match(JSON.stringify(status?.conditions), /2 groups named night/)
    await scene.admin.of(BreakglassEscalation.resource, scene.namespace).delete('ambiguous')
    await escalation('unknown', ['nobody', '/leads/nobody'])
    await until('unknown', 'GroupNotFound')
  })

  test('who comes and goes is seen, and a wrong secret shows and heals', async () => {
    await escalation('moving', ['/others/night'])
    await until('moving', 'GroupMembersEmpty')
    const [ann] = await keycloak.manage('GET', `/${realm}/users?username=ann&exact=true`)
    const group = await keycloak.manage('GET', `/${realm}/group-by-path/others/night`)
    await keycloak.manage('PUT', `/${realm}/users/${ann.id}/groups/${group.id}`)
    const status = await until('moving', 'GroupMembersResolved')
    assert.deepEqual(status?.approverGroupMembers?.['/others/night'], ['ann@example.com'])
    await secret('wrong')
    await health('GroupSyncFailed')
    await secret(client.secret)
    await health('GroupSyncOperational')
  })
})
