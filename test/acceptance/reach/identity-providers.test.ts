/** What the hub says of its identity providers. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { IdentityProvider } from '../../../src/apis/breakglass/identity-provider.ts'
import type { Condition } from '../../../src/core/conditions.ts'
import { findCondition } from '../../../src/core/conditions.ts'
import { events } from '../../../src/kube/kinds.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { ScriptedIssuer } from '../../support/issuer.ts'
import { startScriptedIssuer } from '../../support/issuer.ts'
import type { ReachScene } from '../../support/reach-scene.ts'
import { reachScene } from '../../support/reach-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'

type Spec = NonNullable<IdentityProvider['spec']>

describe('identity providers', needsControlPlane, () => {
  const suite = suiteScope()
  let scene: ReachScene

  before(async () => {
    const retryMs = { first: 50, most: 100 }
    scene = await reachScene(suite, await startControlPlane(suite, {}), { reach: { retryMs } })
  })

  const providers = () => scene.admin.of(IdentityProvider.resource)
  const specOf = ({ issuer, caPem }: ScriptedIssuer): Spec => ({
    oidc: { authority: issuer, clientID: 'ui', certificateAuthority: caPem },
  })
  const make = async (spec: Spec, name = uniqueName('idp')) =>
    (await providers().create({ metadata: { name }, spec })).metadata.name
  const change = (name: string, spec: object) => providers().patch(name, { type: 'merge', body: { spec } })
  const turns = (name: string, status: string, reason: string) =>
    eventually(
      `${name} is ${reason}`,
      async () => {
        const { metadata, status } = await providers().get(name)
        const found = findCondition(status?.conditions as Condition[] | undefined, 'Ready')
        return found?.observedGeneration === metadata.generation && status?.observedGeneration === metadata.generation
          ? found
          : undefined
      },
      { until: (found) => found?.status === status && found.reason === reason },
    ) as Promise<Condition>

  test('one that answers is ready; what breaks it is said, and it heals when that is gone', async (t) => {
    const issuer = await startScriptedIssuer(t)
    const name = await make(specOf(issuer))
    await turns(name, 'True', 'ConfigReloadSuccess')

    // A document that cannot be trusted, no document, no trust in whoever shows it: each found at the next change.
    issuer.document = { ...issuer.document, issuer: 'https://other.example.com' }
    await change(name, { displayName: 'another' })
    assert.match(
      (await turns(name, 'False', 'ConfigReloadFailed')).message,
      /another issuer.*; compare spec\.oidc\.authority/,
    )
    issuer.document = { ...issuer.document, issuer: issuer.issuer }
    await turns(name, 'True', 'ConfigReloadSuccess')
    issuer.discovery = { status: 404 }
    await change(name, { displayName: 'a third' })
    assert.match((await turns(name, 'False', 'ConfigReloadFailed')).message, /status 404/)
    issuer.discovery = undefined
    await turns(name, 'True', 'ConfigReloadSuccess')
    await change(name, { oidc: { certificateAuthority: null } })
    assert.match((await turns(name, 'False', 'ConfigReloadFailed')).message, /certificate cannot be trusted/)
    await change(name, { oidc: { certificateAuthority: issuer.caPem } })
    await turns(name, 'True', 'ConfigReloadSuccess')

    const told = await eventually('people are told', async () => {
      const { items } = await scene.admin.of(events).list({ fieldSelector: `involvedObject.name=${name}` })
      const seen = new Set(items.map(({ type, reason }) => `${type} ${reason}`))
      return seen.size === 2 && [...seen].sort()
    })
    assert.deepEqual(told, ['Normal ConfigReloadSuccess', 'Warning ConfigReloadFailed'])
  })

  test('one that is switched off is said to be, and is asked nothing', async (t) => {
    const issuer = await startScriptedIssuer(t)
    const name = await make({ ...specOf(issuer), disabled: true })
    await turns(name, 'False', 'Disabled')
    assert.deepEqual(issuer.paths, [])
    await change(name, { disabled: false })
    await turns(name, 'True', 'ConfigReloadSuccess')
  })

  test('what no webhook looked at is looked at here', async (t) => {
    const issuer = await startScriptedIssuer(t)
    const spec = specOf(issuer)
    const blind = await make({ oidc: { ...spec.oidc, insecureSkipVerify: true } })
    assert.match((await turns(blind, 'False', 'ValidationFailed')).message, /^spec\.oidc\.insecureSkipVerify: /)
    assert.deepEqual(issuer.paths, [])
    await change(blind, { oidc: { insecureSkipVerify: null } })
    await turns(blind, 'True', 'ConfigReloadSuccess')

    const second = await make(spec)
    for (const one of [blind, second])
      assert.match((await turns(one, 'False', 'ValidationFailed')).message, /is the issuer of another IdentityProvider/)
    await providers().delete(second)
    await turns(blind, 'True', 'ConfigReloadSuccess')
  })

  test('one that hangs keeps no other waiting', async (t) => {
    const [stuck, fine] = [await startScriptedIssuer(t), await startScriptedIssuer(t)]
    stuck.discovery = 'hang'
    const first = await make(specOf(stuck))
    await eventually('it is asked', () => stuck.paths.length > 0)
    await turns(await make(specOf(fine)), 'True', 'ConfigReloadSuccess')
    const { status } = await providers().get(first)
    assert.deepEqual(status?.conditions ?? [], [])
  })
})
