/** What the hub says to writes of ClusterConfigs and IdentityProviders before they are stored. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { before, describe, test } from 'node:test'
import { ClusterConfig } from '../../../src/apis/breakglass/cluster-config.ts'
import { IdentityProvider } from '../../../src/apis/breakglass/identity-provider.ts'
import type { OidcAuth, OidcFromIdentityProvider } from '../../../src/apis/breakglass/oidc-fields.ts'
import { isFailure } from '../../../src/core/failure.ts'
import { namespaces } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { refusalOf } from '../../support/admission-hook.ts'
import { aNamespace, uniqueName } from '../../support/builders.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { lanyard } from '../../support/lanyard.ts'
import { rawCall } from '../../support/raw-call.ts'
import type { ReachScene } from '../../support/reach-scene.ts'
import { reachScene } from '../../support/reach-scene.ts'
import type { ReachWebhooks } from '../../support/reach-webhook-scene.ts'
import { serveReachWebhooks } from '../../support/reach-webhook-scene.ts'
import { mentionedProviders, seedConfigs, seedProvider } from '../../support/seed-samples.ts'
import { suiteScope } from '../../support/suite-scope.ts'

type Spec = ClusterConfig['spec']
type Changes<T> = { [Field in keyof T]?: T[Field] | undefined }

const ref = (name: string) => ({ name, namespace: 'secrets' })
/** Nobody is there: the hub of the scene looks after whatever is stored. */
const server = 'https://127.0.0.1:1'
const direct: OidcAuth = {
  issuerURL: `${server}/realms/a`,
  clientID: 'hub',
  clientSecretRef: ref('client'),
  caSecretRef: ref('ca'),
  server,
}
const byKubeconfig: Spec = { kubeconfigSecretRef: ref('kubeconfig') }
const byOidc = (changes: Changes<OidcAuth> = {}): Spec => ({ oidcAuth: { ...direct, ...changes } as OidcAuth })
const byProvider = (changes: Changes<OidcFromIdentityProvider> = {}): Spec => ({
  oidcFromIdentityProvider: {
    name: 'corp-keycloak',
    server,
    caSecretRef: ref('ca'),
    ...changes,
  } as OidcFromIdentityProvider,
})

const mayGet = (...resourceNames: string[]) => ({
  apiGroups: [''],
  resources: ['secrets'],
  resourceNames,
  verbs: ['get'],
})

describe('the webhooks of reach', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: OwnControlPlane
  let scene: ReachScene
  let admin: Kube
  let hooks: ReachWebhooks
  /** In two namespaces, written before anybody was asked. */
  const twice = 'prod-twice'
  /** Lacks a client secret. */
  const unasked = 'unasked'

  const configsOf = (kube: Kube, namespace = scene.namespace) => kube.of(ClusterConfig.resource, namespace)
  const create = (spec: Spec, { kube = admin, name = uniqueName('cluster') } = {}) =>
    configsOf(kube).create({ metadata: { name }, spec })
  /** Refused, with what it says, and nothing is stored. */
  const refuses = async (spec: object, codes: readonly number[], words: RegExp, kube = admin) => {
    const name = uniqueName('refused')
    const { code, message } = await refusalOf(create(spec as Spec, { kube, name }))
    assert.ok(codes.includes(code), `${code} ${message}`)
    assert.match(message, words)
    assert.equal(await configsOf(admin).find(name), undefined)
  }
  const patch = (kube: Kube, name: string, body: object) => configsOf(kube).patch(name, { type: 'merge', body })

  const cli = (t: TestContext, ...args: string[]) =>
    lanyard(t, ['reach', ...args, '--kubeconfig', plane.adminKubeconfigPath]).ended

  before(async () => {
    plane = await startControlPlane(suite, {})
    scene = await reachScene(suite, plane)
    admin = scene.admin
    await admin.of(namespaces).create(aNamespace('elsewhere'))
    for (const namespace of [scene.namespace, 'elsewhere'])
      await configsOf(admin, namespace).create({ metadata: { name: twice }, spec: byKubeconfig })
    await create(byOidc({ clientSecretRef: undefined }), { name: unasked })
    hooks = await serveReachWebhooks(suite, plane, scene.admin)
    const providers = admin.of(IdentityProvider.resource)
    const oidc = (name: string) => ({ authority: `${server}/${name}`, clientID: 'ui' })
    await providers.create({ ...seedProvider, spec: { ...seedProvider.spec, oidc: oidc('corp') } })
    for (const name of [...mentionedProviders, 'secretless'])
      await providers.create({ metadata: { name }, spec: { oidc: oidc(name) } })
    await providers.create({ metadata: { name: 'switched-off' }, spec: { oidc: oidc('off'), disabled: true } })
  })

  test('A1: a ClusterConfig without a block is refused, and told of all three', async () => {
    for (const spec of [{}, { authType: 'OIDC' }, { authType: 'Kubeconfig' }, { clusterID: 'west', qps: 5 }]) {
      await refuses(spec, [400], /kubeconfigSecretRef, oidcAuth and oidcFromIdentityProvider/)
    }
    const name = (await create(byKubeconfig)).metadata.name
    const emptied = await refusalOf(patch(admin, name, { spec: { kubeconfigSecretRef: null } }))
    assert.equal(emptied.code, 400)
    assert.match(emptied.message, /spec: does not say how to get into the cluster/)
  })

  test('A2: a kubeconfig and OIDC exclude each other', async () => {
    for (const oidc of [byOidc(), byProvider()])
      for (const authType of [{}, { authType: 'OIDC' }, { authType: 'Kubeconfig' }])
        await refuses({ ...byKubeconfig, ...oidc, ...authType }, [400], /spec\.oidc\w+: .*mutually exclusive/)
    const name = (await create(byKubeconfig)).metadata.name
    assert.equal((await refusalOf(patch(admin, name, { spec: byOidc() }))).code, 400)
    // One in place of the other is no contradiction.
    await patch(admin, name, { spec: { kubeconfigSecretRef: null, ...byOidc() } })
  })

  test('A3: the two ways to say OIDC exclude each other', async () => {
    for (const authType of [{}, { authType: 'OIDC' }])
      await refuses(
        { ...byOidc(), ...byProvider(), ...authType },
        [400],
        /spec\.oidcFromIdentityProvider: and spec\.oidcAuth are mutually exclusive/,
      )
  })

  test('A4: a lone block says which kind it is, and authType must not speak against it', async () => {
    /** What the hub misses tells what it went by: none of the Secrets is there. */
    const wentBy = async (spec: Spec) => {
      const stored = await create(spec)
      assert.equal(stored.spec.authType, spec.authType)
      const { message } = await scene.reaches(stored.metadata.name, 'False')
      return /spec\.\w+/.exec(message)?.[0]
    }
    const oidc = { oidcAuth: byOidc(), oidcFromIdentityProvider: byProvider({ clientSecretRef: ref('client') }) }
    for (const [block, spec] of Object.entries(oidc)) {
      assert.equal(await wentBy(spec), `spec.${block}`)
      assert.equal(await wentBy({ ...spec, authType: 'OIDC' }), `spec.${block}`)
      await refuses({ ...spec, authType: 'Kubeconfig' }, [400], /spec\.authType: is Kubeconfig/)
    }
    assert.equal(await wentBy(byKubeconfig), 'spec.kubeconfigSecretRef')
    await refuses({ ...byKubeconfig, authType: 'OIDC' }, [400], /spec\.authType: is OIDC/)
  })

  test('A5: a name is taken over all namespaces, and one that is there twice opens neither', async (t) => {
    await create(byKubeconfig, { name: 'prod' })
    const again = (spec: Spec, name = 'prod') =>
      refusalOf(configsOf(admin, 'elsewhere').create({ metadata: { name }, spec }))
    for (const spec of [byKubeconfig, byOidc()]) {
      const { code, message } = await again(spec)
      assert.equal(code, 400)
      assert.ok(
        message.includes('metadata.name: another namespace has a ClusterConfig prod already') &&
          !message.includes(scene.namespace),
        message,
      )
    }
    assert.equal(await configsOf(admin, 'elsewhere').find('prod'), undefined)
    // Compared whole.
    assert.equal((await again(byKubeconfig, 'prod1')).code, 200)
    assert.equal((await again(byKubeconfig, 'pro')).code, 200)

    const opened = () =>
      scene.spokes.open(twice).then(
        () => 'opened',
        (error) => (isFailure(error) ? error.code : `${error}`),
      )
    await eventually('the hub has seen both', opened, { until: (code) => code === 'SPOKE_AMBIGUOUS' })
    // Nor does anybody get in from a command line, and each says where both are.
    const fingerprint = ['--fingerprint', 'AB'.repeat(32)]
    const both = [scene.namespace, 'elsewhere']
    for (const command of [['check'], ['check', '--here'], ['trust'], ['trust', ...fingerprint], ['rbac']]) {
      const [verb = '', ...flags] = command
      const { code, err } = await cli(t, verb, twice, ...flags)
      assert.notEqual(code, 0, verb)
      assert.match(err, /REACH_SEVERAL/)
      for (const namespace of both) assert.ok(err.includes(namespace), err)
    }
    for (const flags of [['--here'], []]) {
      const { code, err } = await cli(t, 'check', twice, '--namespace', 'elsewhere', ...flags)
      assert.notEqual(code, 0)
      for (const namespace of both) assert.ok(err.includes(namespace), err)
    }
    // Both may still be changed and taken away; with one left there is no doubt.
    await patch(admin, twice, { metadata: { labels: { touched: 'yes' } } })
    assert.equal(await opened(), 'SPOKE_AMBIGUOUS')
    await configsOf(admin, 'elsewhere').delete(twice)
    await eventually('the one that is left is looked at', opened, { until: (code) => code === 'SPOKE_SECRET_MISSING' })
  })

  test('A6: OIDC that is incomplete or not https is refused by its field, and skipped verification is warned of', async () => {
    // What the schema asks for is a 422, what the hub asks for a 400.
    for (const field of ['issuerURL', 'clientID', 'server'] as const) {
      await refuses(byOidc({ [field]: undefined }), [422], new RegExp(`spec\\.oidcAuth\\.${field}`))
      await refuses(byOidc({ [field]: '' }), [400, 422], new RegExp(`spec\\.oidcAuth\\.${field}`))
    }
    await refuses(byProvider({ server: undefined }), [422], /spec\.oidcFromIdentityProvider\.server/)
    await refuses(byProvider({ name: undefined }), [422], /spec\.oidcFromIdentityProvider\.name/)
    for (const url of [
      'http://a.example',
      'a.example:6443',
      'https://',
      'https://u:p@a',
      'https://a?b',
      'https://a#b',
    ]) {
      for (const field of ['issuerURL', 'server'])
        await refuses(byOidc({ [field]: url }), [400, 422], new RegExp(`spec\\.oidcAuth\\.${field}`))
      await refuses(byProvider({ server: url }), [400, 422], /spec\.oidcFromIdentityProvider\.server/)
    }
    const noSecret = /spec\.oidcAuth\.clientSecretRef: is required/
    await refuses(byOidc({ clientSecretRef: undefined }), [400], noSecret)
    const lent = /spec\.oidcFromIdentityProvider\.clientSecretRef: is required/
    await refuses(byProvider({ name: 'secretless' }), [400], lent)
    await create(byProvider({ name: 'secretless', clientSecretRef: ref('client') }))
    await create(byOidc({ clientSecretRef: undefined, refreshTokenSecretRef: ref('refresh') }))

    const warningsOf = async (spec: Spec) => {
      const { apiVersion, kind } = { apiVersion: 'breakglass.t-caas.telekom.com/v1alpha1', kind: 'ClusterConfig' }
      const path = `/apis/${apiVersion}/namespaces/${scene.namespace}/clusterconfigs`
      const body = { apiVersion, kind, metadata: { name: uniqueName('warned') }, spec }
      const answer = await rawCall(plane, { method: 'POST', path, body })
      assert.equal(answer.code, 201, JSON.stringify(answer.body))
      return answer.warnings
    }
    for (const [spec, field] of [
      [byOidc({ insecureSkipTLSVerify: true }), /^spec\.oidcAuth\.insecureSkipTLSVerify: whoever answers/],
      [byProvider({ insecureSkipTLSVerify: true }), /^spec\.oidcFromIdentityProvider\.insecureSkipTLSVerify: /],
      [byOidc({ caSecretRef: undefined }), /^spec\.oidcAuth\.caSecretRef: is absent, .* first seen/],
    ] as const) {
      const warnings = await warningsOf(spec)
      assert.equal(warnings.length, 1)
      assert.match(warnings[0] ?? '', field)
    }
    assert.deepEqual(await warningsOf(byOidc()), [])
    assert.deepEqual(await warningsOf(byKubeconfig), [])
  })

  test('A7: paces of nothing, unknown claims and IdentityProviders that are absent or disabled are refused', async () => {
    for (const field of ['qps', 'burst'])
      for (const pace of [0, -1])
        await refuses({ ...byKubeconfig, [field]: pace }, [422], new RegExp(`spec\\.${field}`))
    await refuses({ ...byKubeconfig, userIdentifierClaim: 'name' }, [422], /spec\.userIdentifierClaim/)
    for (const claim of ['email', 'preferred_username', 'sub'] as const)
      await create({ ...byKubeconfig, userIdentifierClaim: claim })

    const absent = /spec\.identityProviderRefs\[1\]: there is no IdentityProvider nobody/
    const disabled = /spec\.identityProviderRefs\[0\]: IdentityProvider switched-off is disabled/
    await refuses({ ...byKubeconfig, identityProviderRefs: ['corp-keycloak', 'nobody'] }, [400], absent)
    await refuses({ ...byKubeconfig, identityProviderRefs: ['switched-off'] }, [400], disabled)
    await refuses(byProvider({ name: 'nobody' }), [400], /spec\.oidcFromIdentityProvider\.name: there is no/)
    await refuses(byProvider({ name: 'switched-off' }), [400], /spec\.oidcFromIdentityProvider\.name: .* is disabled/)
    const { metadata } = await create({ ...byKubeconfig, identityProviderRefs: ['corp-keycloak'] })
    const body = { spec: { identityProviderRefs: ['corp-keycloak', 'nobody'] } }
    assert.equal((await refusalOf(patch(admin, metadata.name, body))).code, 400)
  })

  test('A8: a token exchange needs a token to exchange', async () => {
    const missing = /spec\.oidc\w+\.tokenExchange\.subjectTokenSecretRef: is required/
    await refuses(byOidc({ tokenExchange: { enabled: true } }), [400], missing)
    await refuses(byOidc({ tokenExchange: { enabled: true, actorTokenSecretRef: ref('actor') } }), [400], missing)
    await refuses(byProvider({ tokenExchange: { enabled: true } }), [400], missing)
    await create(byOidc({ tokenExchange: { enabled: true, subjectTokenSecretRef: ref('subject') } }))
    await create(byOidc({ tokenExchange: { enabled: false } }))
  })

  test('every example of the description is taken as it stands', async () => {
    // Not stored: the hub would look for what they name.
    const dryRun = true
    for (const [shown, spec] of Object.entries(seedConfigs)) {
      const taken = await configsOf(admin).create({ metadata: { name: uniqueName(shown) }, spec }, { dryRun })
      assert.deepEqual(taken.spec, spec)
    }
    const metadata = { name: uniqueName('shown') }
    const taken = await admin.of(IdentityProvider.resource).create({ ...seedProvider, metadata }, { dryRun })
    assert.deepEqual(taken.spec, seedProvider.spec)
  })

  test('whoever has the hub use a Secret must be allowed to read it, and to write it where the hub may', async () => {
    const plain = await hooks.user('plain')
    const reads = await hooks.user('reads', mayGet('client', 'ca', 'kubeconfig'))
    const lacks = (name: string) => new RegExp(`user "plain" lacks the right to get secrets named ${name} in secrets,`)
    await refuses(byKubeconfig, [403], lacks('kubeconfig'), plain)
    await refuses(byOidc(), [403], /spec\.oidcAuth\.clientSecretRef: user "plain"/, plain)
    await refuses(
      byProvider({ allowTOFU: false }),
      [403],
      /lacks the right to get the Secret that IdentityProvider corp-keycloak names,/,
      reads,
    )
    await create(byKubeconfig, { kube: reads })
    await refuses(byOidc(), [403], /lacks the right to update secrets named ca .* or set allowTOFU to false/, reads)
    const { metadata } = await create(byOidc({ allowTOFU: false }), { kube: reads })

    // Who may not read it changes what else there is, but not where the secret goes.
    await patch(plain, metadata.name, { spec: { qps: 7 }, metadata: { labels: { a: 'b' } } })
    for (const change of [{ issuerURL: 'https://evil.example.com' }, { server: 'https://evil.example.com' }]) {
      const { code, message } = await refusalOf(patch(plain, metadata.name, { spec: { oidcAuth: change } }))
      assert.deepEqual([code, message.includes('secrets named client')], [403, true], message)
    }
    assert.equal((await configsOf(admin).get(metadata.name)).spec.oidcAuth?.issuerURL, direct.issuerURL)
    await patch(reads, metadata.name, { spec: { oidcAuth: { audience: 'other' } } })
  })

  test('whoever confirms a fingerprint must be allowed to write the Secret that the hub would replace', async () => {
    const plain = await hooks.user('confirms-not', mayGet('client', 'ca'))
    const { metadata } = await create(byOidc({ caSecretRef: undefined }))
    const { name } = metadata
    const mayUpdate = { apiGroups: [''], resources: ['secrets'], resourceNames: [`${name}-tofu-ca`], verbs: ['update'] }
    const confirms = await hooks.user('confirms', mayUpdate)
    const confirmed = (fingerprint: string | null) => ({
      metadata: { annotations: { 'lanyard.io/trusted-fingerprint': fingerprint } },
    })
    const [one, other] = ['AB'.repeat(32), 'CD'.repeat(32)]
    const { code, message } = await refusalOf(patch(plain, name, confirmed(one)))
    assert.equal(code, 403, message)
    assert.match(message, /user "confirms-not" lacks the right to update secrets named \S+-tofu-ca in /)
    await patch(confirms, name, confirmed(one))
    // One that stands may be left as it is and taken away, but not replaced.
    await patch(plain, name, { metadata: { labels: { a: 'b' } } })
    assert.equal((await refusalOf(patch(plain, name, confirmed(other)))).code, 403)
    await patch(plain, name, confirmed(null))
    const named = (await create(byOidc({ allowTOFU: false }))).metadata.name
    assert.match(
      (await refusalOf(patch(confirms, named, confirmed(one)))).message,
      /update secrets named ca in secrets/,
    )
  })

  test('what was stored before may stay, and may be put right', async () => {
    const oidcAuth = (change: object) => patch(admin, unasked, { spec: { oidcAuth: change } })
    await patch(admin, unasked, { metadata: { labels: { a: 'b' } }, spec: { qps: 5 } })
    const worse = await refusalOf(oidcAuth({ scopes: ['a b'] }))
    assert.deepEqual([worse.code, worse.message.includes('spec.oidcAuth.scopes[0]')], [400, true])
    assert.ok(!worse.message.includes('clientSecretRef'), worse.message)
    await oidcAuth({ scopes: ['a'] })
    await oidcAuth({ clientSecretRef: ref('client') })
    assert.equal((await refusalOf(oidcAuth({ clientSecretRef: null }))).code, 400)

    // A provider that was enabled when it was named.
    const name = uniqueName('leaving')
    const providers = admin.of(IdentityProvider.resource)
    const oidc = { authority: `${server}/${name}`, clientID: 'ui' }
    await providers.create({ metadata: { name }, spec: { oidc } })
    await create({ ...byKubeconfig, identityProviderRefs: [name] }, { name })
    await providers.patch(name, { type: 'merge', body: { spec: { disabled: true } } })
    await patch(admin, name, { spec: { environment: 'prod' } })
    await patch(admin, name, { spec: { identityProviderRefs: ['corp-keycloak', name] } })
    await patch(admin, name, { spec: { identityProviderRefs: [] } })
    assert.equal((await refusalOf(patch(admin, name, { spec: { identityProviderRefs: [name] } }))).code, 400)
  })

  test('an IdentityProvider trusts nobody blindly, shares no issuer, and puts no Secret to use that its writer may not read', async () => {
    const providers = (kube: Kube = admin) => kube.of(IdentityProvider.resource)
    const spec = { oidc: { authority: `${server}/new`, clientID: 'ui' } }
    const keycloak = { ...seedProvider.spec?.keycloak, clientSecretRef: ref('keycloak') } as NonNullable<
      NonNullable<IdentityProvider['spec']>['keycloak']
    >
    const refusesProvider = async (changes: object, words: RegExp, kube = admin) => {
      const object = { metadata: { name: uniqueName('idp') }, spec: { ...spec, ...changes } }
      const { code, message } = await refusalOf(providers(kube).create(object))
      assert.ok([400, 403].includes(code), `${code} ${message}`)
      assert.match(message, words)
    }
    await refusesProvider({ oidc: { ...spec.oidc, insecureSkipVerify: true } }, /spec\.oidc\.insecureSkipVerify: /)
    await refusesProvider(
      { keycloak: { ...keycloak, insecureSkipVerify: true } },
      /spec\.keycloak\.insecureSkipVerify: /,
    )
    await refusesProvider({ groupSyncProvider: 'Keycloak' }, /spec\.keycloak: is required/)
    await refusesProvider({ oidc: { ...spec.oidc, certificateAuthority: 'nonsense' } }, /certificateAuthority: /)
    await refusesProvider({ keycloak: { ...keycloak, cacheTTL: '0s' } }, /spec\.keycloak\.cacheTTL: /)
    const taken = `${server}/corp`
    await refusesProvider({ issuer: taken }, /spec\.issuer: is the issuer of another IdentityProvider already/)
    await refusesProvider({ oidc: { ...spec.oidc, authority: taken } }, /spec\.oidc\.authority: is the issuer/)

    const plain = await hooks.user('provides')
    await refusesProvider({ keycloak }, /lacks the right to get secrets named keycloak in secrets/, plain)
    const name = uniqueName('idp')
    await providers(plain).create({ metadata: { name }, spec })
    await providers(admin).patch(name, { type: 'merge', body: { spec: { keycloak } } })
    const moved = { type: 'merge', body: { spec: { oidc: { authority: 'https://evil.example.com' } } } } as const
    assert.equal((await refusalOf(providers(plain).patch(name, moved))).code, 403)
    await providers(plain).patch(name, { type: 'merge', body: { spec: { disabled: true } } })
  })

  test('F5g: who may write IdentityProviders does not say by that who people are, which makes approvers', async () => {
    const somebody = (await hooks.writer(uniqueName('vouches'))).of(IdentityProvider.resource)
    const name = uniqueName('idp')
    const oidc = { authority: `${server}/${name}`, clientID: 'ui' }
    const refuses403 = async (call: Promise<unknown>) => {
      const { code, message } = await refusalOf(call)
      assert.deepEqual([code, /lacks the right to escalate identityproviders/.test(message)], [403, true], message)
    }
    await refuses403(somebody.create({ metadata: { name }, spec: { oidc } }))
    await admin.of(IdentityProvider.resource).create({ metadata: { name }, spec: { oidc } })
    const change = (spec: object) => somebody.patch(name, { type: 'merge', body: { spec } })
    for (const spec of [
      { oidc: { authority: 'https://evil.example.com' } },
      { oidc: { jwksEndpoint: 'https://evil.example.com/keys' } },
      { oidc: { certificateAuthority: plane.caPem } },
      { oidc: { expectedAudience: 'other' } },
      { issuer: `${server}/${name}/other` },
    ])
      await refuses403(change(spec))
    await change({ displayName: 'Ours', sessionLimits: { maxActiveSessionsPerUser: 1 } })
    await change({ disabled: true })
    await refuses403(change({ disabled: false }))
  })

  test('an IdentityProvider is not turned to another issuer by whoever may not read what ClusterConfigs would send there', async () => {
    const providers = (kube: Kube) => kube.of(IdentityProvider.resource)
    const name = uniqueName('idp')
    const oidc = { authority: `${server}/${name}`, clientID: 'ui' }
    await providers(admin).create({ metadata: { name }, spec: { oidc } })
    const plain = await hooks.user('turns-not', mayGet('other'))
    const reads = await hooks.user('turns', mayGet('own'))
    const change = (kube: Kube, spec: object) => providers(kube).patch(name, { type: 'merge', body: { spec } })
    const evil = (path: string) => ({ oidc: { authority: `https://evil.example.com/${path}` } })
    await change(plain, { oidc: { authority: `${server}/${name}/2` } })
    const config = (await create(byProvider({ name, clientSecretRef: ref('own') }))).metadata.name
    const { code, message } = await refusalOf(change(plain, evil('1')))
    assert.equal(code, 403, message)
    assert.match(
      message,
      /spec: user "turns-not" lacks the right to get each Secret that ClusterConfigs send to this issuer,/,
    )
    for (const hidden of [config, scene.namespace, 'own']) assert.ok(!message.includes(hidden), message)
    assert.equal((await refusalOf(change(plain, { oidc: { certificateAuthority: plane.caPem } }))).code, 403)
    // Where nothing goes elsewhere, nobody is asked.
    await change(plain, { oidc: { expectedAudience: 'other' } })
    await change(plain, { disabled: true })
    assert.equal((await refusalOf(change(plain, { disabled: false }))).code, 403)
    await change(reads, { disabled: false, ...evil('2') })
    // One that is made anew under the name that they still use.
    await providers(admin).delete(name)
    const anew = { metadata: { name }, spec: { oidc } }
    assert.equal((await refusalOf(providers(plain).create(anew))).code, 403)
    await providers(reads).create(anew)
  })
})
