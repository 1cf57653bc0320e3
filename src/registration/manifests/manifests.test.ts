import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts'
import type { ClusterRole, PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import type { Manifest } from '../../fleet/manifests/manifest.ts'
import { acceptedRbac, commonRoles, deniedRbac } from '../hub/membership/rbac.ts'
import { agentManifests } from './agent.ts'
import { hubManifests } from './hub.ts'
import { hubRbacManifests, hubRole } from './hub-rbac.ts'
import { flags, pairs } from './pod.ts'

const find = <T>(manifests: readonly Manifest[], kind: string, name?: string): T =>
  manifests.find(({ object }) => object.kind === kind && (name === undefined || object.metadata.name === name))
    ?.object as unknown as T

const hubRules = find<ClusterRole>(hubRbacManifests('hub'), 'ClusterRole', hubRole).rules ?? []

/** As the API server decides whether somebody may grant a rule, for rules without wildcards. */
const holds = (group: string, resource: string, verb: string): boolean =>
  hubRules.some(
    (rule) =>
      rule.apiGroups?.includes(group) &&
      rule.resources?.includes(resource) &&
      rule.verbs.includes(verb) &&
      rule.resourceNames === undefined,
  )

const lacking = (rules: readonly PolicyRule[] = []): string[] =>
  rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.filter((verb) => !holds(group, resource, verb)).map((verb) => `${verb} ${resource}.${group}`),
      ),
    ),
  )

test('the hub has every right that it gives to agents', () => {
  const granted = [acceptedRbac('west', {}).clusterRole, deniedRbac('west', {}).clusterRole, ...commonRoles({})]
  for (const { metadata, rules } of granted) assert.deepEqual(lacking(rules), [], metadata.name)
})

test('the hub has no wildcards and reads one Secret alone', () => {
  const rules = hubRbacManifests('hub').flatMap(({ object }) => (object as ClusterRole).rules ?? [])
  for (const { apiGroups = [], resources = [], verbs } of rules)
    assert.ok(![...apiGroups, ...resources, ...verbs].includes('*'))
  const secrets = rules.filter(({ resources }) => resources?.includes('secrets'))
  assert.deepEqual(secrets, [
    { apiGroups: [''], resources: ['secrets'], verbs: ['get'], resourceNames: ['lanyard-hub-ca'] },
  ])
})

test('pods may do nothing but talk, and are probed', () => {
  const installation = { namespace: 'n', image: 'i' }
  for (const manifests of [agentManifests(installation), hubManifests(installation)]) {
    const { spec } = find<Deployment>(manifests, 'Deployment')
    const pod = spec?.template.spec
    const [container] = pod?.containers ?? []
    assert.equal(pod?.securityContext?.runAsNonRoot, true)
    assert.deepEqual(container?.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    assert.equal(container?.livenessProbe?.httpGet?.path, '/healthz')
    assert.equal(container?.livenessProbe?.httpGet?.scheme, 'HTTPS')
  }
})

test('agents of one cluster in two namespaces do not take each other’s rights', () => {
  const names = ['a', 'b'].map((namespace) =>
    agentManifests({ namespace, image: 'i' })
      .filter(({ object }) => object.kind === 'ClusterRoleBinding')
      .map(({ object }) => object.metadata.name),
  )
  assert.notDeepEqual(names[0], names[1])
})

test('flags are written only where there is something to say', () => {
  assert.deepEqual(flags({ a: 'x', b: undefined, c: [], d: ['y', 'z'], e: 0 }), ['--a=x', '--d=y,z', '--e=0'])
  assert.deepEqual(pairs({ A: true, b: 'c' }), ['A=true', 'b=c'])
})

test('the agent reads its bootstrap Secret itself and makes its folder below a volume of its own', () => {
  const { spec } = find<Deployment>(agentManifests({ namespace: 'n', image: 'i' }), 'Deployment')
  const { volumes, containers } = spec?.template.spec ?? {}
  assert.deepEqual(volumes, [{ name: 'own', emptyDir: { medium: 'Memory' } }])
  const { args = [], volumeMounts = [] } = containers?.[0] ?? {}
  assert.ok(!args.some((arg) => arg.startsWith('--bootstrap-kubeconfig=')))
  const [folder] = args.flatMap((arg) => arg.split('--hub-kubeconfig-dir=')[1] ?? [])
  assert.deepEqual(
    volumeMounts.map(({ mountPath }) => mountPath),
    [folder?.slice(0, folder.lastIndexOf('/'))],
  )
})
