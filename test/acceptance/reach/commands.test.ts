/** What people do with ways into clusters on the command line, against a hub that runs with its own rights. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { ClusterRole, ClusterRoleBinding } from 'kubernetes-types/rbac/v1.d.ts'
import { parseAllDocuments } from 'yaml'
import { ClusterConfig } from '../../../src/apis/breakglass/cluster-config.ts'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import type { Step } from '../../../src/core/step.ts'
import { hubNamespace } from '../../../src/fleet/names.ts'
import { handoverSecret, spokeAnnotations, spokeLabels } from '../../../src/fleet/spoke/names.ts'
import type { KubeClient } from '../../../src/kube/client/index.ts'
import { clusterRoleBindings, namespaces, secrets } from '../../../src/kube/kinds.ts'
import { untilReady } from '../../../src/reach/operations/until-ready.ts'
import type { ClusterConfigOverview } from '../../../src/reach/overview/cluster-config-overview.ts'
import { clusterConfigOverview } from '../../../src/reach/overview/cluster-config-overview.ts'
import { advanceUntil } from '../../support/advance-until.ts'
import { setAccepted } from '../../support/agent-scene.ts'
import { uniqueName } from '../../support/builders.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { hubProcess, prepareHub } from '../../support/hub-process.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { lanyard } from '../../support/lanyard.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { TestScope } from '../../support/test-scope.ts'

describe('ways into clusters on the command line', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: OwnControlPlane
  let admin: KubeClient
  /** Of somebody else. */
  let other: OwnControlPlane
  before(async () => {
    plane = await startControlPlane(suite, {})
    other = await startControlPlane(suite, {})
    admin = kubeClient(suite, plane.connection())
    await hubProcess(suite, plane, admin, await prepareHub(suite, plane))
  })

  const cli = (t: TestScope, ...args: string[]) =>
    lanyard(t, [...args, '--kubeconfig', plane.adminKubeconfigPath]).ended
  const works = async (t: TestScope, ...args: string[]): Promise<string> => {
    const { code, out, err } = await cli(t, ...args)
    assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`)
    return out
  }
  const rowOf = async (name: string, namespace = hubNamespace): Promise<ClusterConfigOverview> =>
    clusterConfigOverview(await admin.of(ClusterConfig.resource, namespace).get(name))
  const file = async (t: TestScope, text: string): Promise<string> => {
    const path = join(tempDir(t), 'file')
    await writeFile(path, text, { mode: 0o600 })
    return path
  }
  /** A kubeconfig of somebody without rights, on the cluster that the hub itself is on. */
  const someone = async (t: TestScope) => {
    const user = uniqueName('hub')
    const certificate = await plane.issueClientCertificate({ commonName: user })
    return { user, kubeconfig: await file(t, plane.kubeconfig({ certificate })) }
  }
  const secretNames = async (name: string) =>
    (
      await admin.of(secrets, hubNamespace).metadata.list({ labelSelector: `lanyard.io/reach-added=${name}` })
    ).items.map(({ metadata }) => metadata.name)

  test('a kubeconfig is added, checked, given its rights and removed', async (t) => {
    const name = uniqueName('west')
    const { user, kubeconfig } = await someone(t)
    const added = await works(t, 'reach', 'add', name, '--kubeconfig-file', kubeconfig, '--wait', '--timeout', '30')
    assert.match(added, /the hub has a way into .*[\s\S]*the hub gets into .*KubeconfigValidated.*lanyard reach rbac/)
    assert.deepEqual(await secretNames(name), [`${name}-kubeconfig`])

    const [row]: ClusterConfigOverview[] = JSON.parse(await works(t, 'reach', 'list', name, '-o', 'json'))
    assert.ok(row)
    assert.deepEqual(
      [row.ready, row.auth, row.server, row.permissions, row.trust, row.madeBy],
      ['True', 'Kubeconfig', plane.url, 'False', 'Kubeconfig', 'reach add'],
    )
    const table = await works(t, 'get', 'ccfg', name)
    assert.match(table, /^NAME +READY +REASON +AUTH +SERVER +FINGERPRINT +PERMISSIONS +AGE\n/)
    const short = `${row.fingerprint?.slice(0, 11)}…`
    assert.ok(table.includes(short) && !table.includes(row.fingerprint ?? ''), table)
    assert.ok((await works(t, 'reach', 'list', '-o', 'wide')).includes(row.fingerprint ?? ''))
    assert.match(await works(t, 'describe', 'clusterconfig', name), /PermissionsVerified[\s\S]*lanyard reach rbac/)

    const [role, binding] = parseAllDocuments(await works(t, 'reach', 'rbac', name)).map((document) => document.toJS())
    assert.deepEqual((binding as ClusterRoleBinding).subjects?.[0]?.name, user)
    assert.ok(!(role as ClusterRole).rules?.some(({ verbs }) => verbs.includes('impersonate')))
    const apply = ['reach', 'rbac', name, '--apply', '--spoke-kubeconfig', plane.adminKubeconfigPath]
    const wrong = ['reach', 'rbac', name, '--apply', '--spoke-kubeconfig', other.adminKubeconfigPath]
    const before = await cli(t, ...wrong)
    assert.match(before.err, new RegExp(`${other.url} .*${plane.url} .*--other-address.*REACH_OTHER_ADDRESS`))
    assert.match(await works(t, ...apply), /PermissionsVerified is True/)
    assert.equal((await rowOf(name)).permissions, 'True')
    // Now the hub may read namespaces, and so knows for sure.
    const after = await cli(t, ...wrong, '--other-address')
    assert.match(after.err, /kube-system at .*REACH_OTHER_CLUSTER/)
    const { items } = await kubeClient(t, other.connection()).of(clusterRoleBindings).list()
    assert.ok(!items.some(({ subjects }) => subjects?.some((subject) => subject.name === user)))
    assert.match(await works(t, 'reach', 'check', name, '--here'), /this machine gets into/)

    // Another cluster under the same name: what is told is how that one is, not how the one before was.
    const elsewhere = await file(t, other.kubeconfig())
    const moved = await works(t, 'reach', 'add', name, '--kubeconfig-file', elsewhere, '--wait', '--timeout', '30')
    assert.ok(moved.includes(other.url) && !moved.includes(plane.url), moved)

    const { code, err } = await cli(t, 'reach', 'rm', name)
    assert.deepEqual([code, /add --yes/.test(err)], [1, true])
    assert.match(await works(t, 'reach', 'rm', name, '--yes'), /no way into .* any more[\s\S]*its Secrets are gone/)
    assert.match(await works(t, 'reach', 'rm', name, '--yes'), /there is no ClusterConfig/)
    assert.deepEqual(await secretNames(name), [])
    await admin.of(clusterRoleBindings).delete((binding as ClusterRoleBinding).metadata?.name ?? '')
  })

  test('an issuer is added with its Secrets; a check says what fails; another way takes its place', async (t) => {
    const name = uniqueName('east')
    const secret = uniqueName('very-secret')
    const flags = ['--server', plane.url, '--issuer', 'https://127.0.0.1:9', '--client-id', 'lanyard']
    const files = ['--client-secret-file', await file(t, `${secret}\n`), '--ca-file', await file(t, plane.caPem)]
    await works(t, 'reach', 'add', name, ...flags, ...files, '--audience', 'east', '--scope', 'groups')
    const { spec } = await admin.of(ClusterConfig.resource, hubNamespace).get(name)
    assert.equal(spec.oidcAuth?.issuerURL, 'https://127.0.0.1:9')
    assert.deepEqual([spec.oidcAuth?.audience, spec.oidcAuth?.scopes], ['east', ['groups']])
    const { data } = await admin.of(secrets, hubNamespace).get(`${name}-client-secret`)
    assert.equal(Buffer.from(data?.['client-secret'] ?? '', 'base64').toString(), secret)
    assert.deepEqual((await secretNames(name)).toSorted(), [`${name}-ca`, `${name}-client-secret`])

    const checked = await cli(t, 'reach', 'check', name)
    assert.equal(checked.code, 1)
    assert.match(checked.err, /does not get into .*: OIDCDiscoveryFailed: /)
    assert.ok(!`${checked.out}${checked.err}`.includes(secret))
    const waited = await cli(t, 'reach', 'add', name, ...flags, ...files, '--wait', '--timeout', '1')
    assert.equal(waited.code, 1)
    assert.match(waited.err, /within 1 s: .*REACH_NOT_READY/)
    // Once the hub has looked it says why, however long that took.
    const clock = new FakeClock(new Date())
    const steps: Step[] = []
    const waiting = (async () => {
      const deps = { kube: admin, clock, signal: t.signal }
      for await (const step of untilReady({ name, namespace: hubNamespace, timeoutMs: 1_000 }, deps)) steps.push(step)
    })()
    let isOver = false
    const over = () => {
      isOver = true
    }
    waiting.then(over, over)
    await eventually('the hub has looked because of it', async () => {
      const found = await admin.of(ClusterConfig.resource, hubNamespace).get(name)
      const asked = found.metadata.annotations?.[spokeAnnotations.checkRequestedAt]
      return asked === clock.now().toISOString() && found.status?.answeredCheck === asked
    })
    await advanceUntil(clock, 'it gives up', () => isOver, 250)
    await assert.rejects(waiting, { code: 'REACH_NOT_READY', message: /within 1 s: OIDCDiscoveryFailed/ })
    assert.match(JSON.stringify(steps), /OIDCDiscoveryFailed/)
    const unknown = await cli(t, 'reach', 'rbac', name)
    assert.match(unknown.err, /name its user there with --user/)

    const { kubeconfig } = await someone(t)
    const other = await works(t, 'reach', 'add', name, '--kubeconfig-file', kubeconfig)
    assert.match(other, /has this way into .* now[\s\S]*lanyard reach check/)
    assert.deepEqual(await secretNames(name), [`${name}-kubeconfig`])
  })

  test('the agent of a cluster is asked for a way in, and what it hands over is taken back', async (t) => {
    const name = uniqueName('north')
    await admin.of(ManagedCluster.resource).create({ metadata: { name }, spec: { hubAcceptsClient: false } })
    const early = await cli(t, 'reach', 'add', name, '--from-join')
    assert.match(early.err, /run `lanyard accept .*REACH_CLUSTER_NOT_ACCEPTED/)
    await setAccepted(admin, name)
    const asking = lanyard(t, [
      ...['reach', 'add', name, '--from-join', '--wait', '--timeout', '60'],
      ...['--kubeconfig', plane.adminKubeconfigPath],
    ])
    await asking.says('its agent has not handed over a way in')
    // What an agent would do.
    await eventually('the hub made a place for it', () => admin.of(secrets, name).find(handoverSecret))
    const certificate = await plane.issueClientCertificate({ commonName: uniqueName('agent') })
    const stringData = { value: plane.kubeconfig({ certificate }) }
    await admin.of(secrets, name).patch(handoverSecret, { type: 'merge', body: { stringData } })
    const { code, out, err } = await asking.ended
    assert.equal(code, 0, err)
    assert.match(out, /the hub gets into .*KubeconfigValidated/)
    assert.equal((await rowOf(name, name)).madeBy, 'handover')

    assert.match(await works(t, 'reach', 'rm', name, '--yes'), /asks the agent of .* for no way in any more/)
    const config = () => admin.of(ClusterConfig.resource, name).find(name)
    await eventually('what was handed over is gone', config, { until: (found) => found === undefined })
    const { metadata } = await admin.of(ManagedCluster.resource).get(name)
    assert.equal(metadata.annotations?.[spokeAnnotations.reach], undefined)
  })

  test('what is asked of an agent that offers nothing is seen, waited for and withdrawn', async (t) => {
    const name = uniqueName('south')
    await admin.of(ManagedCluster.resource).create({ metadata: { name }, spec: { hubAcceptsClient: false } })
    await setAccepted(admin, name)
    const asked = await works(t, 'reach', 'add', name, '--from-join')
    assert.match(asked, /lanyard join --offer-reach/)
    assert.doesNotMatch(asked, /reach check/)
    const waited = await cli(t, 'reach', 'add', name, '--from-join', '--wait', '--timeout', '1')
    assert.match(waited.err, /lanyard deploy agent --offer-reach.*REACH_NOT_HANDED_OVER/)
    assert.doesNotMatch(waited.err, /describe clusterconfig/)
    const [row] = JSON.parse(await works(t, 'reach', 'list', name, '-o', 'json'))
    assert.deepEqual([row.name, row.ready, row.pending], [name, 'Unknown', true])
    const line = new RegExp(`^${name}: its agent is asked for a way in and has not handed one over`, 'm')
    assert.match(await works(t, 'reach', 'list'), line)

    const isAsked = async () =>
      (await admin.of(ManagedCluster.resource).get(name)).metadata.annotations?.[spokeAnnotations.reach]
    assert.match(await works(t, 'reach', 'rm', name, '--yes'), /asks the agent of .* for no way in any more/)
    assert.equal(await isAsked(), undefined)
    assert.doesNotMatch(await works(t, 'reach', 'list'), line)

    // Also beside a way in that a person gave: it would be the next one.
    await works(t, 'reach', 'add', name, '--from-join')
    const { kubeconfig } = await someone(t)
    await works(t, 'reach', 'add', name, '--kubeconfig-file', kubeconfig)
    const removed = await works(t, 'reach', 'rm', name, '--yes')
    assert.match(removed, /no way into .* any more[\s\S]*asks the agent of .* for no way in any more/)
    assert.equal(await isAsked(), undefined)
  })

  test('what cannot be done is refused with the next command, and nothing is changed', async (t) => {
    const { kubeconfig } = await someone(t)
    const taken = uniqueName('taken')
    const namespace = uniqueName('ns')
    await admin.of(namespaces).create({ metadata: { name: namespace } })
    const kubeconfigSecretRef = { name: 'none', namespace }
    await admin
      .of(ClusterConfig.resource, namespace)
      .create({ metadata: { name: taken }, spec: { kubeconfigSecretRef } })
    const by = ['--kubeconfig-file', kubeconfig]
    const [ours, handed] = [uniqueName('ours'), uniqueName('handed')]
    await works(t, 'reach', 'add', ours, ...by, '--namespace', namespace)
    const labels = { [spokeLabels.handover]: 'true' }
    await admin
      .of(ClusterConfig.resource, namespace)
      .create({ metadata: { name: handed, labels }, spec: { kubeconfigSecretRef } })
    const exec = { command: 'aws', apiVersion: 'client.authentication.k8s.io/v1' }
    const plugin = await file(
      t,
      JSON.stringify({
        clusters: [{ name: 'c', cluster: { server: plane.url } }],
        users: [{ name: 'u', user: { exec } }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }),
    )
    const refused: [string[], RegExp][] = [
      [['add', 'West!', ...by], /REACH_NAME_INVALID/],
      [['add', ours, ...by], new RegExp(`add --namespace ${namespace}.*REACH_ELSEWHERE`)],
      [['add', taken, ...by], /was not made by `lanyard reach add`.*REACH_NOT_OURS/],
      [['add', handed, ...by], new RegExp(`lanyard reach rm ${handed}.*REACH_TAKEN`)],
      [['add', 'west', ...by, '--from-context', 'nope'], /pass --from-context NAME/],
      [['add', taken, ...by, '--namespace', namespace], /was not made by `lanyard reach add`.*REACH_NOT_OURS/],
      [['add', 'west', ...by, '--namespace', 'nowhere'], /REACH_NO_NAMESPACE/],
      [['add', 'west', '--kubeconfig-file', plugin], /the program aws.*--issuer.*REACH_PLUGIN/],
      [['add', 'west', '--from-join'], /`lanyard get clusters`.*REACH_CLUSTER_UNKNOWN/],
      [['add', 'west', '--kubeconfig-file', '/no/such/file'], /--kubeconfig-file.*FILE_UNREADABLE/],
      [['check', 'west'], /`lanyard reach list`.*REACH_UNKNOWN/],
      [['rbac', 'west', '--apply'], /--spoke-kubeconfig/],
    ]
    await Promise.all(
      refused.map(async ([args, why]) => {
        const { code, err } = await cli(t, 'reach', ...args)
        assert.equal(code, 1, args.join(' '))
        assert.match(err, why)
      }),
    )
    assert.equal(await admin.of(ClusterConfig.resource, hubNamespace).find('west'), undefined)
    assert.deepEqual(await secretNames('west'), [])
    for (const name of [taken, ours, handed]) await admin.of(ClusterConfig.resource, namespace).delete(name)
  })

  test('a hub without the gate reads no Secrets and looks at no cluster', async (t) => {
    const kube = kubeClient(t, other.connection())
    const gate = ['--feature-gates', 'Reach=false']
    // What an earlier init gave is taken away again.
    await prepareHub(t, other)
    const prepared = await prepareHub(t, other, ...gate)
    await hubProcess(t, other, kube, prepared, ...gate)
    const account = `system:serviceaccount:${hubNamespace}:registration-controller-sa`
    const { status } = await kube.request<{ status: { allowed: boolean } }>({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      contentType: 'application/json',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: { user: account, resourceAttributes: { verb: 'get', resource: 'secrets', namespace: 'default' } },
      },
    })
    assert.equal(status.allowed, false)
    const certificate = await other.issueClientCertificate({ commonName: 'someone' })
    const kubeconfig = await file(t, other.kubeconfig({ certificate }))
    const run = (...args: string[]) => lanyard(t, [...args, '--kubeconfig', other.adminKubeconfigPath]).ended
    assert.equal((await run('reach', 'add', 'west', '--kubeconfig-file', kubeconfig)).code, 0)
    const checked = await run('reach', 'check', 'west', '--timeout', '2')
    assert.equal(checked.code, 1)
    assert.match(checked.err, /see whether `lanyard hub` runs and its gate Reach is on/)
  })
})
