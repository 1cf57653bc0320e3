/** How clusters join, times how their add-ons come to the hub. Those that join by AWS IAM: driver-matrix-aws. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { DriverName } from '../../../src/addons/registrations.ts'
import { addonHub, addonScene } from '../../support/addon-scene.ts'
import { addonGetsIn } from '../../support/addon-way-in.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { lanyard } from '../../support/lanyard.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TestScope } from '../../support/test-scope.ts'

interface Row {
  cluster: 'csr' | 'grpc'
  addon: DriverName
  /** The work that brings it, for those that are not there yet. */
  later?: string
}

/** The valid combinations of the seed, in its order. */
const matrix: readonly Row[] = [
  { cluster: 'csr', addon: 'csr' },
  { cluster: 'csr', addon: 'token' },
  { cluster: 'grpc', addon: 'csr', later: 'the join by gRPC' },
  { cluster: 'grpc', addon: 'token', later: 'the join by gRPC' },
]

describe('the drivers of clusters and of their add-ons', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: OwnControlPlane
  before(async () => {
    plane = await startControlPlane(suite, {})
    await addonHub(suite, plane)
  })

  /** The command as a Deployment would start it, which ends before it asks anybody anything. */
  const refused = async (t: TestScope, ...flags: string[]) => {
    const bootstrap = ['--bootstrap-kubeconfig', '/nowhere/bootstrap.kubeconfig']
    const { code, err } = await lanyard(t, ['agent', ...bootstrap, ...flags]).ended
    return { code, err }
  }

  for (const { cluster, addon, later } of matrix)
    test(
      later === undefined
        ? `R74a: a cluster that joined by ${cluster} has add-ons by ${addon}`
        : `R74a: ${cluster} with add-ons by ${addon} comes with ${later}, and until then the agent says so and ends`,
      async (t) => {
        if (later === undefined) {
          const scene = await addonScene(t, plane, { addons: { kubeClientDriver: addon } })
          return await addonGetsIn(t, plane, scene, addon)
        }
        const flags = ['--registration-auth', cluster, '--addon-kubeclient-registration-auth', addon]
        const { code, err } = await refused(t, ...flags)
        assert.equal(code, 1)
        assert.ok(err.includes(`the registration driver ${cluster} comes with a later version`), err)
        assert.ok(err.includes(later), err)
        assert.match(err, /--registration-auth takes csr, awsirsa, aws-irsa in this one.*DRIVER_LATER/)
      },
    )

  test('R74b: an agent that is given a driver it does not know says which it knows, and ends', async (t) => {
    const cluster = await refused(t, '--registration-auth', 'ldap')
    assert.equal(cluster.code, 1)
    assert.match(cluster.err, /no registration driver ldap; --registration-auth takes csr/)
    const addon = await refused(t, '--addon-kubeclient-registration-auth', 'ldap')
    assert.equal(addon.code, 2)
    assert.match(addon.err, /--addon-kubeclient-registration-auth.*'ldap' is invalid.*csr, token/)
  })
})
