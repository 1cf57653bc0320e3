/** Who `lanyard hub` is, whoever starts it: its admission lets itself pass where it checks everybody else. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { BreakglassEscalation } from '../../../src/apis/breakglass/breakglass-escalation.ts'
import type { SessionSpec, SessionStatus } from '../../../src/apis/breakglass/breakglass-session.ts'
import { BreakglassSession } from '../../../src/apis/breakglass/breakglass-session.ts'
import { ClusterConfig } from '../../../src/apis/breakglass/cluster-config.ts'
import { hubNamespace } from '../../../src/fleet/names.ts'
import { events, leases, secrets, serviceAccounts } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { auditPolicy } from '../../support/accounts-scene.ts'
import { refusalOf } from '../../support/admission-hook.ts'
import { uniqueName } from '../../support/builders.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { PreparedHub } from '../../support/hub-process.ts'
import { prepareHub } from '../../support/hub-process.ts'
import { kubeClient } from '../../support/kube-client.ts'
import type { Running } from '../../support/lanyard.ts'
import { lanyard } from '../../support/lanyard.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { TestScope } from '../../support/test-scope.ts'
import { allow } from '../../support/webhook-scene.ts'

const account = 'registration-controller-sa'

describe('a hub that an administrator starts', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: OwnControlPlane
  let admin: Kube
  let prepared: PreparedHub
  before(async () => {
    plane = await startControlPlane(suite, { auditPolicy })
    admin = kubeClient(suite, plane.connection())
    prepared = await prepareHub(suite, plane)
  })
  const start = (t: TestScope, kubeconfig: string, ...flags: string[]): Running =>
    lanyard(t, [
      ...['hub', '--kubeconfig', kubeconfig, '--listen', new URL(prepared.webhookUrl).host],
      ...['--webhook-url', prepared.webhookUrl, '--access-listen', '127.0.0.1:0', ...flags],
    ])
  const sessions = () => admin.of(BreakglassSession.resource, hubNamespace)
  const refuses = async (call: Promise<unknown>, expected: number, words: RegExp) => {
    const { code, message } = await refusalOf(call)
    assert.deepEqual([code, words.test(message)], [expected, true], `${code} ${message}`)
  }
  const userKubeconfig = async (t: TestScope, user: string) => {
    const certificate = await plane.issueClientCertificate({ commonName: user })
    const path = join(tempDir(t), 'kubeconfig')
    await writeFile(path, plane.kubeconfig({ certificate }), { mode: 0o600 })
    return path
  }

  test('F8b: where the right to ask for its tokens, or its account, is missing, the start fails and says what to do', async (t) => {
    const user = uniqueName('starter')
    const kubeconfig = await userKubeconfig(t, user)
    const forbidden = await start(t, kubeconfig).ended
    assert.equal(forbidden.code, 1)
    assert.match(forbidden.err, /HUB_ACCOUNT_FORBIDDEN/)
    assert.match(
      forbidden.err,
      new RegExp(`${user} may not ask for tokens of .*${hubNamespace}/${account}.*kubectl -n .* create role`),
    )
    const missing = await start(t, plane.adminKubeconfigPath, '--namespace', 'not-prepared').ended
    assert.equal(missing.code, 1)
    assert.match(
      missing.err,
      /has no ServiceAccount not-prepared\/registration-controller-sa.*`lanyard init --namespace not-prepared`.*HUB_ACCOUNT_MISSING/,
    )
  })

  test('F8c: the right to ask for its tokens is all that who starts it needs', async (t) => {
    const user = uniqueName('starter')
    await allow(admin, user, [
      {
        apiGroups: [''],
        resources: ['serviceaccounts/token'],
        resourceNames: [account],
        verbs: ['create'],
      },
    ])
    const hub = start(t, await userKubeconfig(t, user))
    await hub.says('this process leads')
    hub.child.kill('SIGTERM')
    assert.equal((await hub.ended).code, 0)
  })

  test('F8: started by an administrator it acts as its account, so that administrators are checked as everybody is', async (t) => {
    const hub = start(t, plane.adminKubeconfigPath)
    await hub.says('this process leads')
    const cluster = uniqueName('west')
    const value = Buffer.from(plane.kubeconfig()).toString('base64')
    await admin.of(secrets, hubNamespace).create({ metadata: { name: cluster }, data: { value } })
    await admin.of(ClusterConfig.resource, hubNamespace).create({
      metadata: { name: cluster },
      spec: { kubeconfigSecretRef: { name: cluster, namespace: hubNamespace } },
    })
    const escalation = uniqueName('support')
    const escalations = admin.of(BreakglassEscalation.resource, hubNamespace)
    await escalations.create({
      metadata: { name: escalation },
      spec: {
        escalatedGroup: 'support',
        allowed: { clusters: [cluster], groups: ['developers'] },
        approvers: { users: ['lead@example.com'] },
      },
    })
    await eventually('the escalation is Ready', async () =>
      (await escalations.get(escalation)).status?.conditions?.some(
        ({ type, status }) => type === 'Ready' && status === 'True',
      ),
    )
    const create = (spec: Partial<SessionSpec> = {}) =>
      sessions().create({
        metadata: { name: uniqueName('by-hand') },
        spec: { cluster, user: 'admin@example.com', grantedGroup: 'support', ...spec },
      })
    await refuses(create({ cluster: 'nowhere' }), 400, /spec\.cluster: there is no ClusterConfig nowhere/)
    await refuses(
      create({ grantedGroup: 'system:masters' }),
      400,
      /no escalation that is Ready leads to system:masters/,
    )
    await refuses(create({ requestedBy: { email: 'lead@example.com' } }), 400, /spec\.requestedBy/)
    const { metadata } = await create()
    assert.ok(metadata.annotations?.['lanyard.io/created-by'])
    const now = new Date().toISOString()
    const granted: Partial<SessionStatus> = {
      state: 'Approved',
      approvedAt: now,
      expiresAt: '2099-01-01T00:00:00Z',
      approvals: [{ approver: 'lead@example.com', at: now }],
    }
    await eventually('the hub has looked at it', async () => (await sessions().get(metadata.name)).status?.state)
    await refuses(
      sessions().patch(metadata.name, { type: 'merge', body: { status: granted } }, { subresource: 'status' }),
      403,
      /only the hub itself/,
    )
    assert.equal((await sessions().get(metadata.name)).status?.state, 'Pending')
    await eventually('it says so in an Event', async () =>
      (await admin.of(events, hubNamespace).list()).items.some(
        ({ involvedObject }) => involvedObject.name === escalation,
      ),
    )
    hub.child.kill('SIGTERM')
    assert.equal((await hub.ended).code, 0)
    assert.equal((await admin.of(leases, hubNamespace).get('lanyard-hub')).spec?.holderIdentity, '')

    const audited = (await plane.auditEvents()).filter(({ userAgent }) => userAgent?.startsWith('lanyard-hub'))
    const own = `system:serviceaccount:${hubNamespace}:${account}`
    const asStarted = audited
      .filter(({ user }) => user.username !== own)
      .map(({ verb, objectRef, requestURI }) => `${verb} ${objectRef?.resource ?? requestURI.split('?')[0]}`)
    assert.deepEqual([...new Set(asStarted)].sort(), [
      'create selfsubjectreviews',
      'create serviceaccounts',
      'get /version',
    ])
    assert.ok(audited.some(({ user, verb }) => user.username === own && verb === 'patch'))
    assert.ok(await admin.of(serviceAccounts, hubNamespace).get(account))
  })
})
