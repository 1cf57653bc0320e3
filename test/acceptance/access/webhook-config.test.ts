/** What `lanyard access webhook-config` prints, given to the API server of a cluster on which the hub has few rights. */
import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { reviewUser } from '../../../src/access/names.ts'
import { ClusterConfig } from '../../../src/apis/breakglass/cluster-config.ts'
import { DenyPolicy } from '../../../src/apis/breakglass/deny-policy.ts'
import { spokeAnnotations } from '../../../src/fleet/spoke/names.ts'
import { needs } from '../../../src/fleet/spoke/needs.ts'
import { spokeRole } from '../../../src/fleet/spoke/rbac.ts'
import { clusterRoles, configMaps, namespaces, pods, secrets, serviceAccounts } from '../../../src/kube/kinds.ts'
import { clientAs, isAllowed } from '../../support/access-scene.ts'
import { refusedOf } from '../../support/accounts-scene.ts'
import type { BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { lanyard } from '../../support/lanyard.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'
import type { WebhookSpoke } from '../../support/webhook-spoke.ts'
import { webhookSpoke } from '../../support/webhook-spoke.ts'

const auditPolicy = stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
})

const remembered = { withinMs: 40_000, everyMs: 250 }

describe('the configuration that has an API server ask the hub', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let scene: BreakglassScene
  let spoke: WebhookSpoke
  before(async () => {
    timed = await timedPlane(suite)
    scene = await breakglassScene(suite, timed.plane, { clock: timed.clock })
    spoke = await webhookSpoke(suite, scene, { auditPolicy })
  })

  const printed = (...args: string[]) => {
    const where = ['--kubeconfig', scene.plane.adminKubeconfigPath, '--namespace', scene.namespace]
    return lanyard(suite, ['access', 'webhook-config', spoke.cluster, ...where, ...args]).ended
  }

  /** Somebody who may do this by a session, from now on. */
  const aSession = async (email: string, rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[]) => {
    const group = await scene.groupMay(rules, { kube: spoke.admin })
    const allowed = { clusters: [spoke.cluster], groups: ['devs'] }
    await scene.escalation({ escalatedGroup: group, allowed, approvers: { users: ['lead@example.com'] } })
    const { body } = await scene.person(email, { groups: ['devs'] }).request(spoke.cluster, group, { reason: 'look' })
    assert.equal((await scene.person('lead@example.com').act(body.metadata.name, 'approve')).status, 200)
  }

  test('A78: the API server starts with it, asks about people only, and the hub is never asked about itself', async (t) => {
    const { plane, hubUser, front } = spoke
    const askedAbout = (user: string) => front.asked.filter((review) => review.user === user)
    await aSession('dev@example.com', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }])
    const asDev = await spoke.as('dev@example.com')
    const before = askedAbout('dev@example.com').length
    await eventually('a session lets in', () => isAllowed(asDev.of(configMaps, 'default').list()), remembered)
    const asked = askedAbout('dev@example.com').slice(before)
    const path = `/api/breakglass/webhook/authorize/${spoke.cluster}`
    assert.ok(
      asked.every(({ status }) => status === 200),
      'the token is taken',
    )
    assert.deepEqual([...new Set(asked.map((review) => review.path))].toSorted(), [path, `${path}/policies`])

    const quiet = ['system:somebody', hubUser]
    for (const user of quiet) {
      const kube = await clientAs(t, plane, user)
      assert.equal(await isAllowed(kube.of(secrets, 'default').list()), false)
    }
    await spoke.admin.of(secrets, 'default').list()
    const { body } = await scene.ask(spoke.cluster, 'dev@example.com', {
      verb: 'list',
      resource: 'configmaps',
      namespace: 'kube-system',
    })
    assert.equal(body.status.allowed, true, 'which the hub asked the cluster about')
    assert.deepEqual([...quiet, reviewUser].flatMap(askedAbout), [])
    const people = new Set(front.asked.map(({ user }) => user))
    assert.ok(
      [...people].every((user) => user.endsWith('@example.com') || user === 'kubernetes-admin'),
      [...people].join(),
    )
  })

  test('F1i: where a policy is for the cluster, what is printed has people denied while no hub answers', async () => {
    const there = ['--url', 'https://lanyard.example.com', '--system-ca']
    const failurePolicies = async (...args: string[]) => {
      const { code, out, err } = await printed(...there, '-o', 'json', ...args)
      assert.equal(code, 0, err)
      const { authorizers } = parse(JSON.parse(out).files['authorization-config.yaml'])
      const found = (authorizers as { name: string; webhook?: { failurePolicy: string } }[]).flatMap(
        ({ webhook }) => webhook?.failurePolicy ?? [],
      )
      return found
    }
    const policies = scene.admin.of(DenyPolicy.resource)
    const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['delete'] }]
    const elsewhere = uniqueName('policy')
    const here = uniqueName('policy')
    await policies.create({ metadata: { name: elsewhere }, spec: { appliesTo: { clusters: ['elsewhere'] }, rules } })
    try {
      assert.deepEqual(await failurePolicies(), ['NoOpinion', 'NoOpinion'])
      await policies.create({ metadata: { name: here }, spec: { appliesTo: { clusters: [spoke.cluster] }, rules } })
      assert.deepEqual(await failurePolicies(), ['Deny', 'NoOpinion'])
      assert.match((await printed(...there)).err, /people do nothing there.*\(failurePolicy: Deny\)/)
      assert.deepEqual(await failurePolicies('--failure-policy', 'NoOpinion'), ['NoOpinion', 'NoOpinion'])
    } finally {
      for (const name of [elsewhere, here]) await policies.delete(name)
    }
  })

  test('one call of a person is two questions, however often the hub asks the cluster in turn', async () => {
    await aSession('often@example.com', [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }])
    const kube = await spoke.as('often@example.com')
    await eventually('a session lets in', () => isAllowed(kube.of(pods, 'default').list()), remembered)
    // Each try elsewhere: what an API server did not wait for is answered after its call, and asked again with the next.
    const place = await eventually('a call goes through', async () => {
      const namespace = uniqueName('any')
      return (await isAllowed(kube.of(pods, namespace).list())) && namespace
    })
    const asked = spoke.front.asked.filter(({ user, namespace }) => user === 'often@example.com' && namespace === place)
    assert.equal(asked.length, 2, JSON.stringify(asked))
  })

  test('A76: with the rights of `lanyard reach rbac` alone everything works, and a missing one is named', async () => {
    const namespace = uniqueName('team')
    await spoke.admin.of(namespaces).create({ metadata: { name: namespace, labels: { tier: 'gold' } } })
    await spoke.admin.of(serviceAccounts, namespace).create({ metadata: { name: 'default' } })
    const containers = [{ name: 'main', image: 'none' }]
    for (const [name, hostPID] of Object.entries({ strong: true, weak: false }))
      await spoke.admin
        .of(pods, namespace)
        .create({ metadata: { name }, spec: { containers, hostPID, automountServiceAccountToken: false } })
    await aSession('ops@example.com', [
      { apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['get', 'list'] },
      { apiGroups: [''], resources: ['pods/exec'], verbs: ['create'] },
    ])
    const appliesTo = { clusters: [spoke.cluster] }
    const gold = { selectorTerms: [{ matchLabels: { tier: 'gold' } }] }
    const labels = await scene.policy({
      appliesTo,
      rules: [{ verbs: ['list'], apiGroups: [''], resources: ['secrets'], namespaces: gold }],
    })
    const strength = await scene.policy({
      appliesTo,
      podSecurityRules: {
        riskFactors: {},
        thresholds: [{ maxScore: 100, action: 'allow' }],
        blockFactors: ['hostPID'],
      },
    })
    const ask = async (more: object) => (await scene.ask(spoke.cluster, 'ops@example.com', more)).body.status
    const exec = { verb: 'create', resource: 'pods', subresource: 'exec', namespace }
    const answers = async () => [
      await ask({ verb: 'list', resource: 'configmaps', namespace }),
      await ask({ verb: 'list', namespace: 'default' }),
      await ask({ verb: 'list', namespace }),
      await ask({ ...exec, name: 'weak' }),
      await ask({ ...exec, name: 'strong' }),
    ]
    const found = await eventually('session and policies count', answers, {
      until: (all) => all.map(({ allowed }) => allowed).join() === 'true,true,false,true,false',
    })
    assert.deepEqual([found[2].denied, found[4].denied], [true, true])
    assert.match(found[2].reason, new RegExp(labels))
    assert.match(found[4].reason, new RegExp(strength))
    const audited = await spoke.plane.auditEvents()
    const byHub = audited.filter(
      ({ user, objectRef }) => user.username === spoke.hubUser && objectRef?.resource !== 'secrets',
    )
    assert.ok(byHub.length > 0)
    assert.deepEqual(refusedOf(byHub), [])

    const configs = scene.admin.of(ClusterConfig.resource, scene.namespace)
    const condition = async (type: string) =>
      (await configs.get(spoke.cluster)).status?.conditions?.find((one) => one.type === type)
    const { rules = [] } = await spoke.admin.of(clusterRoles).get(spokeRole)
    const granted = (kept: typeof rules) =>
      spoke.admin.of(clusterRoles).patch(spokeRole, { type: 'merge', body: { rules: kept } })
    const looked = (expected: string) =>
      eventually(
        `the hub finds ${expected}`,
        async () => {
          const annotations = { [spokeAnnotations.checkRequestedAt]: new Date().toISOString() }
          await configs.patch(spoke.cluster, { type: 'merge', body: { metadata: { annotations } } })
          return condition('PermissionsVerified')
        },
        {
          until: (one) =>
            one?.status === (expected === 'all' ? 'True' : 'False') &&
            (expected === 'all' || (one?.message ?? '').includes(expected)),
          everyMs: 200,
        },
      )
    for (const [index, { resource, verbs }] of needs.entries()) {
      await granted(rules.filter((_, at) => at !== index))
      await looked(`${verbs[0]} ${resource}`)
      assert.equal((await condition('Ready'))?.reason, 'KubeconfigValidated')
    }
    await granted(rules)
    await looked('all')
  })

  test('the files are for the API server alone, and the token is in none but its own', async () => {
    const names = ['authorization-config.yaml', 'policies.kubeconfig', 'breakglass.kubeconfig', 'webhook-token']
    const token = (await readFile(join(spoke.folder, 'webhook-token'), 'utf8')).trim()
    for (const name of names) {
      assert.equal((await stat(join(spoke.folder, name))).mode & 0o077, 0, name)
      if (name !== 'webhook-token') assert.ok(!(await readFile(join(spoke.folder, name), 'utf8')).includes(token))
    }
    const { authorizers } = parse(await readFile(join(spoke.folder, names[0] ?? ''), 'utf8'))
    assert.match(JSON.stringify(authorizers), new RegExp(`request.user != .*${spoke.hubUser}`))
  })

  test('the token is shown once: again without one, and with another by --rotate', async () => {
    const there = ['--url', 'https://lanyard.example.com', '--system-ca']
    const again = await printed(...there)
    assert.equal(again.code, 0, again.err)
    assert.ok(!again.out.includes('lwt_'))
    assert.equal(parseAllDocuments(again.out).length, 3)
    assert.match(again.err, /keeps the token it has/)
    const other = await printed(...there, '--rotate', '-o', 'json')
    const { token, flag, files } = JSON.parse(other.out)
    assert.equal(flag, '--authorization-config=/etc/kubernetes/lanyard/authorization-config.yaml')
    assert.equal(parse(files['breakglass.kubeconfig']).clusters[0].cluster['certificate-authority-data'], undefined)
    const first = (await readFile(join(spoke.folder, 'webhook-token'), 'utf8')).trim()
    for (const good of [token, first])
      await eventually(
        'it is good',
        async () => (await scene.ask(spoke.cluster, 'x@example.com', {}, { token: good })).status === 200,
      )
  })

  test('what is missing is told before a token is made', async () => {
    const noUrl = await printed('--system-ca', '--rotate')
    assert.equal(noUrl.code, 1)
    assert.match(noUrl.err, /set access\.url in lanyard\.yaml/)
    const noCa = await printed('--url', 'https://lanyard.example.com', '--rotate')
    assert.equal(noCa.code, 1)
    assert.match(noCa.err, /--ca-file or --system-ca/)
    const where = ['--kubeconfig', scene.plane.adminKubeconfigPath, '--namespace', scene.namespace]
    const unknown = await lanyard(suite, [
      'access',
      'webhook-config',
      'nowhere',
      ...where,
      '--url',
      'https://x',
      '--system-ca',
    ]).ended
    assert.equal(unknown.code, 1)
    assert.match(unknown.err, /there is no ClusterConfig nowhere/)
  })
})
