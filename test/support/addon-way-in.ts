import assert from 'node:assert/strict'
import type { DriverName } from '../../src/addons/registrations.ts'
import { Secret } from '../../src/core/secret.ts'
import { accountUser, addonAccounts, addonConditions, addonSecrets, addonUser } from '../../src/fleet/names.ts'
import type { AddonScene } from './addon-scene.ts'
import type { ControlPlane } from './control-plane.ts'
import { eventually } from './eventually.ts'
import { freshNamespace } from './fresh-namespace.ts'
import { kubeClient } from './kube-client.ts'
import type { TestScope } from './test-scope.ts'
import { whoAmI } from './who-am-i.ts'

/** An add-on of the cluster gets a credential by this driver, and the hub takes it for what it should be. */
export async function addonGetsIn(
  t: TestScope,
  plane: ControlPlane,
  scene: AddonScene,
  driver: DriverName,
): Promise<void> {
  const installNamespace = await freshNamespace(t, scene.home)
  const addon = await scene.addon([{ type: 'kubeClient' }], { installNamespace })
  const condition = driver === 'csr' ? addonConditions.certificateRotated : addonConditions.tokenRefreshed[0]
  await scene.reaches(addon, condition, 'True')
  const [registration] = (await scene.find(addon))?.status?.registrations ?? []
  assert.equal(registration?.kubeClient?.driver, driver)
  const held = await eventually('the credential is there', () =>
    scene.secretOf(addonSecrets.kubeClient(addon), installNamespace),
  )
  const { username } = await whoAmI(
    kubeClient(
      t,
      driver === 'csr'
        ? plane.connection({
            certificate: { certPem: held['tls.crt'] ?? '', keyPem: Secret.of(held['tls.key'] ?? '') },
          })
        : plane.connection({ authorization: Secret.of(held['token'] ?? '') }),
    ),
  )
  const [account] = addonAccounts(scene.cluster, addon)
  assert.equal(username, driver === 'csr' ? addonUser(scene.cluster, addon) : accountUser(scene.cluster, account))
}
