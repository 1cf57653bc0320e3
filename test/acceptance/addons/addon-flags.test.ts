/** What an operator sets and sees of the tokens of add-ons. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { createMetrics } from '../../../src/core/metrics.ts'
import { addonConditions } from '../../../src/fleet/names.ts'
import { namespaces } from '../../../src/kube/kinds.ts'
import { addonHub, addonScene } from '../../support/addon-scene.ts'
import { aNamespace, uniqueName } from '../../support/builders.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { lanyard } from '../../support/lanyard.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TestScope } from '../../support/test-scope.ts'

describe('the flags of an agent for add-ons', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: OwnControlPlane
  before(async () => {
    plane = await startControlPlane(suite, {})
    await addonHub(suite, plane)
  })

  /** Starts an agent with this life of tokens, and ends it again if it does not end itself. */
  async function agentWith(t: TestScope, seconds: number) {
    const args = ['--kubeconfig', plane.adminKubeconfigPath, '--bootstrap-kubeconfig', '/nowhere/bootstrap']
    const { child, says, ended } = lanyard(t, [
      'agent',
      ...args,
      '--no-leader-election',
      `--addon-token-expiration-seconds=${seconds}`,
    ])
    const isUp = says('starts on').then(() => child.kill('SIGTERM'))
    isUp.catch(() => {})
    return await ended
  }

  test('R87: metrics tell when tokens expire and why refreshing fails, rbac prints the template, and lives of tokens that are too short are warned of or refused', async (t) => {
    const metrics = await createMetrics()
    const scene = await addonScene(t, plane, { metrics, addons: { kubeClientDriver: 'token' } })
    const reading = async (name: string) => {
      const text = await metrics.text()
      const line = text.split('\n').find((one) => one.startsWith(name))
      return line === undefined ? undefined : Number(line.split(' ').at(-1))
    }
    const errors = (reason: string) => reading(`lanyard_addons_token_refresh_errors_total{reason="${reason}"}`)
    const installNamespace = uniqueName('install')
    const addon = await scene.addon([{ type: 'kubeClient' }], { installNamespace })
    await eventually('an error is counted', () => errors('NamespaceMissing'), { until: (count) => (count ?? 0) > 0 })
    assert.equal(await errors('HubUnavailable'), 0)
    await scene.home.of(namespaces).create(aNamespace(installNamespace))
    await scene.reaches(addon, addonConditions.tokenRefreshed[0], 'True')
    const year = 365 * 86_400
    const left = await eventually('it is told when the token expires', () =>
      reading(`lanyard_addons_token_expiry_seconds{cluster="${scene.cluster}",addon="${addon}"}`),
    )
    assert.ok(left > year - 600 && left <= year, String(left))

    const template = await lanyard(t, ['addon', 'rbac', addon]).ended
    assert.equal(template.code, 0, template.err)
    assert.match(template.out, /kind: Role\n[\s\S]*kind: RoleBinding\n/)
    assert.ok(template.out.includes(`name: CLUSTER-${addon}-agent`))

    const lives = [
      [600, true],
      [3_599, true],
      [3_600, false],
      [0, false],
    ] as const
    const warned = lives.map(async ([seconds, isWarnedOf]) => {
      const { code, err } = await agentWith(t, seconds)
      assert.equal(code, 0, err)
      assert.equal(err.includes(`--addon-token-expiration-seconds=${seconds} is for tests`), isWarnedOf, err)
    })
    const [refused] = await Promise.all([agentWith(t, 599), ...warned])
    assert.equal(refused.code, 2)
    assert.match(refused.err, /--addon-token-expiration-seconds.*at least 600 seconds/)
  })

  test('what join and deploy are told reaches the Deployment of the agent, and what they are not told does not', async (t) => {
    const flags = async (...args: string[]) => {
      const { code, out, err } = await lanyard(t, ['deploy', 'agent', '-o', 'json', ...args]).ended
      assert.equal(code, 0, err)
      const { items } = JSON.parse(out) as { items: { kind: string; spec: { template: { spec: PodSpec } } }[] }
      const [container] = items.find(({ kind }) => kind === 'Deployment')?.spec.template.spec.containers ?? []
      return { given: container?.args.filter((arg) => arg.startsWith('--addon-')), err }
    }
    assert.deepEqual((await flags()).given, [])
    assert.deepEqual((await flags('--addon-token-expiration-seconds', '0')).given, [])
    const { given, err } = await flags(
      ...['--addon-kubeclient-registration-auth', 'token', '--addon-token-expiration-seconds', '900'],
    )
    assert.deepEqual(given, ['--addon-kubeclient-registration-auth=token', '--addon-token-expiration-seconds=900'])
    assert.match(err, /is for tests/)
  })
})

interface PodSpec {
  containers: { args: string[] }[]
}
