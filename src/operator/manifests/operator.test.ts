import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { PolicyRule, Role, RoleBinding } from 'kubernetes-types/rbac/v1.d.ts'
import { accessHubBindings, accessHubRole } from '../../access/manifests/hub.ts'
import type { Manifest } from '../../fleet/manifests/manifest.ts'
import { addonNamespace, hubNamespace, operatorNamespace } from '../../fleet/names.ts'
import { reachHubRole } from '../../reach/manifests/hub.ts'
import { agentAccount, agentManifests } from '../../registration/manifests/agent.ts'
import { bootstrapManifests } from '../../registration/manifests/bootstrap.ts'
import { hubAccount, hubRbacManifests } from '../../registration/manifests/hub-rbac.ts'
import { awsAuthRoles } from './aws-auth.ts'
import type { OperatorInstallation } from './operator.ts'
import { operatorArguments, operatorManifests, operatorRbacManifests } from './operator.ts'

const both: OperatorInstallation = {
  image: 'i',
  sides: ['managed-cluster', 'hub'],
  agentNamespaces: ['open-cluster-management-agent', 'open-cluster-management-other'],
  hubNamespace,
}

const rolesIn = (manifests: readonly Manifest[]) =>
  manifests
    .filter(({ object }) => object.kind === 'Role' || object.kind === 'ClusterRole')
    .map(({ object }) => object as unknown as Role & { metadata: { name: string; namespace?: string } })

/** But for those that it only binds: by them the hub reads Secrets, writes sessions and aws-auth, and the operator does not. */
const onlyBound = [reachHubRole, accessHubRole, ...awsAuthRoles().map(({ object }) => object.metadata.name)]
const held = rolesIn(operatorRbacManifests(both)).filter(({ metadata }) => !onlyBound.includes(metadata.name))

/** As the API server decides whether somebody may give a rule away in a namespace, for rules without wildcards. */
function lacking(rule: PolicyRule, namespace?: string): string[] {
  const rules = held
    .filter(({ metadata }) => [undefined, namespace].includes(metadata.namespace))
    .flatMap((role) => role.rules ?? [])
  const isHeld = (group: string, resource: string, verb: string, name?: string) =>
    rules.some(
      (own) =>
        own.apiGroups?.includes(group) &&
        own.resources?.includes(resource) &&
        own.verbs.includes(verb) &&
        (own.resourceNames === undefined || (name !== undefined && own.resourceNames.includes(name))),
    )
  return (rule.apiGroups ?? []).flatMap((group) =>
    (rule.resources ?? []).flatMap((resource) =>
      rule.verbs.flatMap((verb) =>
        (rule.resourceNames ?? [undefined])
          .filter((name) => !isHeld(group, resource, verb, name))
          .map((name) => `${verb} ${resource}.${group} ${name ?? ''} in ${namespace ?? 'all'}`),
      ),
    ),
  )
}

test('the operator holds every right that it gives to agents, hubs and new clusters', () => {
  const granted = [
    ...both.agentNamespaces.flatMap((namespace) => agentManifests({ namespace, image: 'i' })),
    ...hubRbacManifests(hubNamespace),
    ...accessHubBindings({ namespace: hubNamespace, name: hubAccount }),
    ...bootstrapManifests(),
  ]
  const missing = rolesIn(granted).flatMap(({ metadata, rules = [] }) =>
    rules.flatMap((rule) => lacking(rule, metadata.namespace)),
  )
  assert.deepEqual(missing, [])
})

test('it has no wildcards, may not escalate, and reads Secrets only where it works', () => {
  for (const { metadata, rules = [] } of held)
    for (const { apiGroups = [], resources = [], verbs, resourceNames } of rules) {
      assert.ok(![...apiGroups, ...resources, ...verbs].some((word) => ['*', 'escalate', 'impersonate'].includes(word)))
      assert.ok(resourceNames === undefined || resourceNames.length > 0, 'an empty list of names means every name')
      assert.ok(!verbs.includes('bind') || resourceNames, 'what it may bind unchecked is named')
      if (resources.includes('secrets')) {
        const works = [...both.agentNamespaces, addonNamespace, hubNamespace]
        assert.ok(works.includes(metadata.namespace ?? ''), `secrets in ${metadata.namespace ?? 'every namespace'}`)
      }
    }
})

test('it brings the roles by which a hub gets into clusters and lets people in, may bind them, and does not have them', () => {
  const manifests = operatorRbacManifests(both)
  const bound = manifests.flatMap(({ object }) => (object as unknown as RoleBinding).roleRef?.name ?? [])
  const mayBind = held.flatMap(({ rules = [] }) => rules).filter(({ verbs }) => verbs.includes('bind'))
  for (const role of onlyBound) {
    assert.ok(rolesIn(manifests).some(({ metadata }) => metadata.name === role))
    assert.ok(!bound.includes(role))
    assert.ok(mayBind.some(({ resourceNames }) => resourceNames?.includes(role)))
  }
})

test('of what is in kube-system it may bind one role, and nothing else', () => {
  assert.equal(awsAuthRoles().length, 1)
  const [name = ''] = awsAuthRoles().map(({ object }) => object.metadata.name)
  const there = held.filter(({ metadata }) => metadata.namespace === 'kube-system').flatMap(({ rules = [] }) => rules)
  assert.deepEqual(
    there.map(({ resources, resourceNames }) => [resources, resourceNames]),
    [
      [['roles'], [name]],
      [['rolebindings'], [name]],
    ],
  )
  assert.deepEqual(there[0]?.verbs, ['bind'])
})

test('of the account of an agent it may ask for tokens, in the namespaces of agents and of no other account', () => {
  const forTokens = held.flatMap(({ metadata, rules = [] }) =>
    rules
      .filter(({ resources }) => resources?.includes('serviceaccounts/token'))
      .filter(({ resourceNames }) => resourceNames?.includes(agentAccount))
      .map(({ verbs, resourceNames }) => [metadata.namespace, verbs, resourceNames]),
  )
  assert.deepEqual(
    forTokens,
    both.agentNamespaces.map((namespace) => [namespace, ['create'], [agentAccount]]),
  )
})

test('it may create and change only what it knows by name, but for what cannot be named when it is created', () => {
  const granted = rolesIn([
    ...both.agentNamespaces.flatMap((namespace) => agentManifests({ namespace, image: 'i' })),
    ...hubRbacManifests(hubNamespace),
    ...bootstrapManifests(),
  ]).flatMap(({ rules = [] }) => rules)
  const own = held
    .flatMap(({ rules = [] }) => rules)
    .filter((rule) => !granted.some((given) => isDeepStrictEqual(given, rule)))
  const unnamed = own
    .filter(({ verbs, resourceNames }) => !resourceNames && verbs.some((verb) => ['create', 'patch'].includes(verb)))
    .flatMap(({ resources = [] }) => resources)
  assert.deepEqual([...new Set(unnamed)].sort(), [
    'clustermanagers',
    'clustermanagers/status',
    'klusterlets',
    'klusterlets/status',
    'namespaces',
    'secrets',
  ])
})

test('on a managed cluster it has nothing of a hub, and the other way round', () => {
  const namesFor = (sides: OperatorInstallation['sides']) =>
    operatorManifests({ ...both, sides }).map(({ object }) => `${object.kind} ${object.metadata.name}`)
  const managed = namesFor(['managed-cluster'])
  assert.ok(managed.includes('CustomResourceDefinition klusterlets.operator.open-cluster-management.io'))
  assert.ok(!managed.some((name) => /clustermanagers|management-hub/.test(name)))
  const hub = namesFor(['hub'])
  assert.ok(hub.includes('CustomResourceDefinition clustermanagers.operator.open-cluster-management.io'))
  assert.ok(!hub.some((name) => /klusterlets|agent/.test(name)))
})

test('it is told what it may work with', () => {
  assert.deepEqual(operatorArguments({ ...both, workloadImage: 'w' }), [
    'operator',
    '--for=both',
    `--namespace=${operatorNamespace}`,
    '--image=w',
    `--agent-namespaces=${both.agentNamespaces.join(',')}`,
    `--hub-namespace=${hubNamespace}`,
    '--listen=:8443',
  ])
})
