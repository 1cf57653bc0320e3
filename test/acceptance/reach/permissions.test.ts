/** What the hub may do on a cluster, as the cluster itself says: apart from whether it can be got into. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { needs } from '../../../src/fleet/spoke/needs.ts'
import { clusterRoleBindings, clusterRoles } from '../../../src/kube/kinds.ts'
import { reviewPermissions } from '../../../src/reach/hub/permissions.ts'
import { aClusterRole, aClusterRoleBinding, aUser, uniqueName } from '../../support/builders.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { kubeClient } from '../../support/kube-client.ts'
import type { ReachScene } from '../../support/reach-scene.ts'
import { reachScene } from '../../support/reach-scene.ts'
import { startSpokeStandIn } from '../../support/spoke-stand-in.ts'
import { suiteScope } from '../../support/suite-scope.ts'

const type = 'PermissionsVerified'

describe('the rights of the hub on a cluster', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: OwnControlPlane
  let scene: ReachScene
  before(async () => {
    plane = await startControlPlane(suite, {})
    const reach = { retryMs: { first: 200, most: 1_000 } }
    scene = await reachScene(suite, plane, { reach })
  })

  const rulesBut = (left: string) =>
    needs
      .map(({ group, resource, verbs }) => ({
        apiGroups: [group],
        resources: [resource],
        verbs: verbs.filter((verb) => `${verb} ${resource}` !== left),
      }))
      .filter(({ verbs }) => verbs.length > 0)
  const grant = async (role: string, rules: ReturnType<typeof rulesBut>) =>
    void (await scene.admin.of(clusterRoles).apply(aClusterRole(role, ...rules) as never, {
      fieldManager: 'test',
      force: true,
    }))

  test('a right that is missing is named, the cluster stays Ready, and granting it heals', async (t) => {
    const user = uniqueName('hub')
    await grant(user, rulesBut('list namespaces'))
    await scene.admin.of(clusterRoleBindings).create(aClusterRoleBinding(user, aUser(user)))
    const certificate = await plane.issueClientCertificate({ commonName: user })
    // A cluster follows its roles a moment later: a look before that finds more that is missing.
    const itself = kubeClient(t, plane.connection({ certificate }))
    await eventually('what was granted counts', () => reviewPermissions(itself, t.signal), {
      until: (found) => found.filter(({ isAllowed }) => !isAllowed).length === 1,
    })
    const { cluster } = await scene.byKubeconfig(plane.kubeconfig({ certificate }))
    await scene.reaches(cluster, 'True', 'KubeconfigValidated')
    const { message } = await scene.reaches(cluster, 'False', 'PermissionsMissing', type)
    assert.equal(message, `the hub may not list namespaces; \`lanyard reach rbac ${cluster}\` prints what it needs`)

    await grant(user, rulesBut('create subjectaccessreviews'))
    const other = await eventually('the other one is named', async () => {
      await scene.asked(cluster)
      const found = await scene.condition(cluster, type)
      return found?.message.includes('subjectaccessreviews') && found
    })
    assert.match(other.message, /may not create subjectaccessreviews\.authorization\.k8s\.io;/)

    await grant(user, rulesBut(''))
    await eventually('all of it is granted', async () => {
      await scene.asked(cluster)
      return (await scene.condition(cluster, type))?.status === 'True'
    })
    assert.equal((await scene.condition(cluster, 'Ready'))?.status, 'True')
  })

  test('a cluster that answers but cannot say leaves it open, and is asked again soon', async (t) => {
    const spoke = await startSpokeStandIn(t)
    const sound = (url = '') => url === '/version'
    spoke.answer = ({ url }, response) => {
      response.writeHead(sound(url) ? 200 : 500, { 'content-type': 'application/json' })
      response.end('{}')
    }
    const { cluster } = await scene.byKubeconfig(spoke.kubeconfig)
    await scene.reaches(cluster, 'Unknown', 'PermissionsUnknown', type)
    assert.equal((await scene.condition(cluster, 'Ready'))?.status, 'True')
    spoke.answer = undefined
    await scene.reaches(cluster, 'True', 'PermissionsGranted', type)
  })
})
