/** Add-ons with the programs as they are installed: `lanyard hub` and `lanyard agent`, each with its account's rights. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { ManagedClusterAddOn } from '../../../src/apis/addon/managed-cluster-addon.ts'
import type { Condition } from '../../../src/core/conditions.ts'
import { isTrue } from '../../../src/core/conditions.ts'
import { accountUser, addonAccounts, addonConditions, addonNamespace, addonSecrets } from '../../../src/fleet/names.ts'
import type { KubeClient } from '../../../src/kube/client/index.ts'
import { secrets, serviceAccounts } from '../../../src/kube/kinds.ts'
import { bootstrapUser } from '../../../src/registration/manifests/bootstrap.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { PreparedHub } from '../../support/hub-process.ts'
import { agentProcess, hubProcess, prepareHub } from '../../support/hub-process.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { lanyard } from '../../support/lanyard.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { TestScope } from '../../support/test-scope.ts'

describe('add-ons with the programs as they are installed', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: OwnControlPlane
  let kube: KubeClient
  let hub: PreparedHub
  before(async () => {
    plane = await startControlPlane(suite, {})
    kube = kubeClient(suite, plane.connection())
    hub = await prepareHub(suite, plane)
  })

  const cli = async (t: TestScope, ...args: string[]) => {
    const { code, out, err } = await lanyard(t, [...args, '--kubeconfig', plane.adminKubeconfigPath]).ended
    assert.equal(code, 0, err)
    return out
  }

  test('what join is told of add-ons is what they get, from enabling to disabling', async (t) => {
    const gate = ['--feature-gates', 'ManagedClusterAutoApproval=true', '--auto-approved-csr-users', bootstrapUser]
    await hubProcess(t, plane, kube, hub, ...gate)
    const tokenFile = join(tempDir(t), 'token')
    await writeFile(tokenFile, hub.invited['hub-token'], { mode: 0o600 })
    const where = ['--hub-apiserver', plane.url, '--ca-pin', hub.invited['ca-pins'][0] ?? '']
    const tokens = ['--addon-kubeclient-registration-auth', 'token', '--addon-token-expiration-seconds', '7200']
    await cli(t, 'join', '--cluster-name', 'west', '--hub-token-file', tokenFile, ...where, ...tokens)
    await agentProcess(t, plane, kube)
    const enabled = () =>
      lanyard(t, ['addon', 'enable', 'hello', '--clusters', 'west', '--kubeconfig', plane.adminKubeconfigPath]).ended
    await eventually('it is enabled', async () => (await enabled()).code === 0, { withinMs: 60_000 })

    const addons = kube.of(ManagedClusterAddOn.resource, 'west')
    const body = { status: { registrations: [{ type: 'kubeClient' }] } }
    await addons.patch('hello', { type: 'merge', body }, { subresource: 'status' })
    const told = async () => (await addons.get('hello')).status?.conditions as Condition[] | undefined
    await eventually('it has its token', async () => isTrue(await told(), addonConditions.tokenRefreshed[0]), {
      withinMs: 60_000,
    })
    const out = await cli(t, 'describe', 'addon', 'west/hello')
    const [account] = addonAccounts('west', 'hello')
    assert.ok(out.includes(accountUser('west', account)), out)
    assert.match(out, /Credential: +valid, until \S+ \((1h59m|2h)/)

    assert.match(await cli(t, 'addon', 'disable', 'hello', '--clusters', 'west'), /hello is off west/)
    await eventually('nothing is left of it on either side', async () => {
      const left = await Promise.all([
        kube.of(secrets, addonNamespace).find(addonSecrets.kubeClient('hello')),
        kube.of(serviceAccounts, 'west').find(account),
      ])
      return left.every((one) => one === undefined)
    })
  })
})
