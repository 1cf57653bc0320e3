/** Who may give away what: an escalation grants no more than its writer may hand out. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { accessWebhooks } from '../../../src/access/admission/index.ts'
import { defaultAccessSettings } from '../../../src/access/settings.ts'
import type { EscalationSpec } from '../../../src/apis/breakglass/breakglass-escalation.ts'
import { BreakglassEscalation } from '../../../src/apis/breakglass/breakglass-escalation.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { clusterRoleBindings, clusterRoles, namespaces, subjectAccessReviews } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { clientAs, grant } from '../../support/access-scene.ts'
import { hubOf, serveAccessWebhooks } from '../../support/access-webhook-scene.ts'
import { refusalOf } from '../../support/admission-hook.ts'
import { aClusterRole, aClusterRoleBinding, aGroup, aNamespace, uniqueName } from '../../support/builders.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { installFleetKinds } from '../../support/fleet-scene.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { lanyard } from '../../support/lanyard.ts'
import { rawCall } from '../../support/raw-call.ts'
import { suiteScope } from '../../support/suite-scope.ts'

const { group: apiGroup, plural } = BreakglassEscalation.resource
const place = 'team-a'
const cluster = 'tenant-prod-cluster'

/** As the description has it. */
const sample: EscalationSpec = {
  escalatedGroup: 'cluster-admin',
  allowed: { clusters: [cluster], groups: ['emergency-responders'] },
  approvers: { users: ['admin@example.com'] },
}
const writes: PolicyRule = { apiGroups: [apiGroup], resources: [plural], verbs: ['get', 'create', 'update', 'patch'] }
const escalates: PolicyRule = { apiGroups: [apiGroup], resources: [plural], verbs: ['escalate'] }
const binds = (...groups: string[]): PolicyRule => ({
  apiGroups: [apiGroup],
  resources: ['escalatedgroups'],
  resourceNames: groups,
  verbs: ['bind'],
})

describe('what an escalation gives away', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: OwnControlPlane
  let admin: Kube
  const stands = 'stands'

  /** A client of somebody who may write escalations in one namespace, and a group of theirs that may be given more. */
  async function writer(): Promise<{ kube: Kube; user: string; team: string }> {
    const [user, team] = [uniqueName('writer'), uniqueName('team')]
    await grant(admin, place, [user], writes)
    const kube = await clientAs(suite, plane, user, [team])
    await known({ user, groups: [team] }, writes, place)
    return { kube, user, team }
  }
  /** Returns when the API server knows it. */
  async function known(who: { user: string; groups: string[] }, rule: PolicyRule, namespace?: string) {
    const {
      apiGroups: [group = ''] = [],
      resources: [resource] = [],
      resourceNames: [name] = [],
      verbs: [verb = ''],
    } = rule
    const asked = { group, verb, ...(resource && { resource }), ...(name && { name }) }
    const resourceAttributes = { ...asked, ...(namespace !== undefined && { namespace }) }
    await eventually(`${who.user} may ${verb} ${resource}`, async () => {
      const { status } = await admin.of(subjectAccessReviews).create({ spec: { ...who, resourceAttributes } })
      return status?.allowed
    })
  }
  const give = async ({ user, team }: { user: string; team: string }, rule: PolicyRule, namespace?: string) => {
    if (namespace !== undefined) await grant(admin, namespace, [aGroup(team)], rule)
    else {
      const name = uniqueName('everywhere')
      await admin.of(clusterRoles).create(aClusterRole(name, rule))
      await admin.of(clusterRoleBindings).create(aClusterRoleBinding(name, aGroup(team)))
    }
    await known({ user, groups: [team] }, rule, namespace)
  }
  const create = (kube: Kube, spec: Partial<EscalationSpec> = {}, namespace = place) =>
    kube
      .of(BreakglassEscalation.resource, namespace)
      .create({ metadata: { name: uniqueName('escalation') }, spec: { ...sample, ...spec } })
  const refuses = async (call: Promise<unknown>, words: RegExp) => {
    const { code, message } = await refusalOf(call)
    assert.deepEqual([code, words.test(message)], [403, true], `${code} ${message}`)
  }
  const to = (...clusters: string[]): Partial<EscalationSpec> => ({ allowed: { ...sample.allowed, clusters } })

  before(async () => {
    plane = await startControlPlane(suite, {})
    const client = kubeClient(suite, plane.connection())
    admin = client
    await installFleetKinds(client)
    for (const name of [place, 'team-b', cluster, 'other-cluster']) await admin.of(namespaces).create(aNamespace(name))
    for (const [name, spec] of Object.entries({
      [stands]: { ...sample, blockSelfApproval: false },
      'stands-masters': { ...sample, escalatedGroup: 'system:masters' },
      'stands-wide': { ...sample, ...to('prod-*') },
    }))
      await admin.of(BreakglassEscalation.resource, place).create({ metadata: { name }, spec })
    const kube = await hubOf(suite, plane, admin)
    await serveAccessWebhooks(
      suite,
      admin,
      accessWebhooks({ kube, clock: systemClock, settings: () => defaultAccessSettings }),
    )
  })

  test('F5a: bind on a group in the namespace of a cluster lets its rights be given away there alone', async () => {
    const somebody = await writer()
    const lacks = /lacks the right to bind escalatedgroups .*named cluster-admin in tenant-prod-cluster/
    await refuses(create(somebody.kube), lacks)
    await give(somebody, binds('cluster-admin'), cluster)
    await create(somebody.kube)
    const elsewhere = /spec\.allowed\.clusters\[1\]: .*named cluster-admin in other-cluster/
    await refuses(create(somebody.kube, to(cluster, 'other-cluster')), elsewhere)
    await refuses(
      create(somebody.kube, { clusterConfigRefs: ['other-cluster'] }),
      /spec\.clusterConfigRefs\[0\]: .*in other-cluster/,
    )
    await refuses(create(somebody.kube, { escalatedGroup: 'other' }), /escalatedgroups .*named other/)
    await refuses(create(somebody.kube, to('tenant-*')), /lacks the right to escalate/)
    // On all clusters, those that come later too; still not by pattern.
    await give(somebody, binds('cluster-admin'))
    await create(somebody.kube, to(cluster, 'other-cluster', 'to-come.eu'))
    await refuses(
      create(somebody.kube, to('*')),
      /clusters\[0\]: .*escalate .*in team-a, which a cluster with \* needs/,
    )
  })

  test('F5b: groups of Kubernetes itself, and patterns of clusters, need escalate in the namespace', async () => {
    const somebody = await writer()
    await give(somebody, { apiGroups: [apiGroup], resources: ['escalatedgroups'], verbs: ['bind'] })
    await create(somebody.kube)
    for (const escalatedGroup of ['system:masters', 'system:authenticated'])
      await refuses(create(somebody.kube, { escalatedGroup }), /spec\.escalatedGroup: .*lacks the right to escalate/)
    await give(somebody, escalates, 'team-b')
    await refuses(create(somebody.kube, to('*')), /lacks the right to escalate .*in team-a/)
    await give(somebody, escalates, place)
    await create(somebody.kube, to('*'))
    await create(somebody.kube, { escalatedGroup: 'system:masters' })
  })

  test('F5c: what stands keeps working; of a change only what it adds is asked about', async () => {
    const { kube } = await writer()
    const escalations = kube.of(BreakglassEscalation.resource, place)
    const patch = (body: object, name = stands) => escalations.patch(name, { type: 'merge', body })
    for (const name of [stands, 'stands-masters', 'stands-wide']) {
      await patch({ metadata: { labels: { team: 'a' }, annotations: { note: 'a' } } }, name)
      await patch({ spec: { maxValidFor: '30m', minApprovals: 1, mailProvider: 'mail' } }, name)
    }
    await patch({ spec: { allowed: { clusters: ['prod-west'] } } }, 'stands-wide')
    const more: Partial<EscalationSpec>[] = [
      { escalatedGroup: 'other' },
      to(cluster, 'other-cluster'),
      { allowed: { clusters: [cluster], groups: ['emergency-responders', 'everybody'] } },
      { approvers: { users: ['admin@example.com', 'me@example.com'] } },
      { maxValidFor: '2h' },
      { emergencyBypass: { enabled: true } },
      { podSecurityOverrides: { enabled: true } },
    ]
    for (const spec of more) await refuses(patch({ spec }), /lacks the right to bind/)
    await refuses(patch({ spec: { maxValidFor: '2h' } }, 'stands-masters'), /lacks the right to escalate/)
    await refuses(patch({ spec: to('*') }, 'stands-wide'), /lacks the right to escalate/)
  })

  test('F5d: who may write the status of escalations makes nobody an approver by that', async () => {
    const user = uniqueName('status-writer')
    await grant(admin, place, [user], { ...writes, resources: [`${plural}/status`] })
    const kube = await clientAs(suite, plane, user)
    const write = () =>
      kube
        .of(BreakglassEscalation.resource, place)
        .patch(
          stands,
          { type: 'merge', body: { status: { approverGroupMembers: { leads: ['me@example.com'] } } } },
          { subresource: 'status' },
        )
    // Until RBAC knows, it is RBAC that refuses.
    await eventually('the hub is asked', async () => /only the hub itself/.test((await refusalOf(write())).message))
    const { status } = await admin.of(BreakglassEscalation.resource, place).get(stands)
    assert.equal(status?.approverGroupMembers, undefined)
  })

  test('F5e: that somebody may approve what they asked for is a warning, and a finding of doctor beside what stands', async (t) => {
    const warns = async (spec: Partial<EscalationSpec>) => {
      const { code, warnings } = await rawCall(plane, {
        method: 'POST',
        path: `/apis/${apiGroup}/v1alpha1/namespaces/${place}/${plural}`,
        query: { dryRun: 'All' },
        body: {
          apiVersion: `${apiGroup}/v1alpha1`,
          kind: BreakglassEscalation.resource.kind,
          metadata: { name: uniqueName('warned') },
          spec: { ...sample, ...spec },
        },
      })
      assert.equal(code, 201)
      return warnings.some((text) => text.startsWith('spec.blockSelfApproval: '))
    }
    assert.equal(await warns({}), true)
    assert.equal(await warns({ blockSelfApproval: true, approvers: { groups: ['leads'] } }), false)
    assert.equal(await warns({ minApprovals: 2, approvers: { groups: ['leads'] } }), false)

    const doctor = async (...args: string[]) => {
      const { code, out } = await lanyard(t, [
        'doctor',
        ...args,
        '--kubeconfig',
        plane.adminKubeconfigPath,
        '-o',
        'json',
      ]).ended
      assert.equal(code, 1)
      return (JSON.parse(out) as { id: string; evidence: string }[]).map(({ id, evidence }) => `${id} ${evidence}`)
    }
    const found = await doctor()
    for (const told of [
      /^escalation-system-group .*team-a\/stands-masters.*system:masters/,
      /^escalation-self-approval .*team-a\/stands-wide/,
      /^escalation-self-approval .*team-a\/stands leads/,
    ])
      assert.ok(
        found.some((line) => told.test(line)),
        `${told} in ${found.join('\n')}`,
      )
  })

  test('F5: who may write escalations in one namespace does not become the administrator of every cluster', async () => {
    const { kube, user } = await writer()
    const everything: Partial<EscalationSpec> = {
      escalatedGroup: 'system:masters',
      allowed: { clusters: ['*'], groups: ['system:authenticated'] },
      approvers: { users: [`${user}@example.com`] },
    }
    await refuses(create(kube, everything), /spec\.escalatedGroup: user "writer-.*" lacks the right to escalate/)
    await refuses(create(kube, { ...everything, escalatedGroup: 'cluster-admins' }), /lacks the right to escalate/)
    await refuses(create(kube), /lacks the right to bind escalatedgroups/)
    const { items } = await admin.of(BreakglassEscalation.resource, place).list()
    assert.ok(items.every(({ spec }) => !spec.approvers?.users?.includes(`${user}@example.com`)))
  })
})
