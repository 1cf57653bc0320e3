/** A signer of its own for add-ons: the one in examples/addon-signer, with the rights that its manifest gives it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { ConnectionOptions, TLSSocket } from 'node:tls'
import { connect, createServer } from 'node:tls'
import { parseAllDocuments } from 'yaml'
import type { ExampleSigner } from '../../../examples/addon-signer/signer.ts'
import { exampleSigner, signerName } from '../../../examples/addon-signer/signer.ts'
import { addonOrder } from '../../../src/addons/drivers/csr/order.ts'
import { itemsOf } from '../../../src/addons/registrations.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { silentLog } from '../../../src/core/log.ts'
import { systemRandom } from '../../../src/core/random.ts'
import { Secret } from '../../../src/core/secret.ts'
import { csrObject } from '../../../src/fleet/csr/request.ts'
import { addonConditions, addonSecrets, addonUser, labels } from '../../../src/fleet/names.ts'
import { isForbidden } from '../../../src/kube/failures.ts'
import {
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  namespaces,
  roleBindings,
  roles,
  secrets,
  serviceAccounts,
} from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import type { KubeObject, Resource } from '../../../src/kube/objects.ts'
import { generateKey } from '../../../src/pki/index.ts'
import { isAllowed } from '../../support/access-scene.ts'
import type { AddonScene } from '../../support/addon-scene.ts'
import { addonHub, addonScene } from '../../support/addon-scene.ts'
import { agentsClient } from '../../support/agent-credential.ts'
import { decide } from '../../support/agent-scene.ts'
import { aNamespace, uniqueName } from '../../support/builders.ts'
import { issueForServer, testAuthority } from '../../support/control-plane/identities.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { runInTest } from '../../support/fleet-scene.ts'
import { kubeClient as clientFor } from '../../support/kube-client.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TestScope } from '../../support/test-scope.ts'
import { teardown } from '../../support/test-scope.ts'

const example = join(import.meta.dirname, '../../../examples/addon-signer')
const namespace = 'addon-signer'
const registration = (subject?: { user: string; groups?: string[] }) => ({
  type: 'customSigner' as const,
  customSigner: { signerName, ...(subject && { subject }) },
})

/** Applies the manifest of the example; a client with the token of the account in it. */
async function installed(t: TestScope, plane: ControlPlane, admin: Kube): Promise<Kube> {
  const kinds = [namespaces, serviceAccounts, clusterRoles, clusterRoleBindings, roles, roleBindings]
  for (const document of parseAllDocuments(readFileSync(join(example, 'rbac.yaml'), 'utf8'))) {
    const object = document.toJS() as KubeObject & { metadata: { name: string; namespace?: string } }
    const resource = kinds.find(({ kind }) => kind === object.kind) as Resource<KubeObject> | undefined
    assert.ok(resource, object.kind)
    await admin.of(resource, object.metadata.namespace).apply(object, { fieldManager: 'test' })
  }
  const spec = { expirationSeconds: 3_600 }
  const { status } = await admin
    .of(serviceAccounts, namespace)
    .createSubresource<object, { status: { token: string } }>('addon-signer', 'token', { spec })
  return clientFor(t, plane.connection({ authorization: Secret.of(status.token) }))
}

/** A server that lets in whoever has a certificate of this authority, and says who that is. */
async function tlsServer(t: TestScope, clientCaPem: string) {
  const authority = await testAuthority('test-tls-ca')
  const { certPem, keyPem } = await issueForServer(authority, { ipAddresses: ['127.0.0.1'] })
  const server = createServer(
    { cert: certPem, key: keyPem.reveal(), ca: clientCaPem, requestCert: true, rejectUnauthorized: true },
    (socket) => socket.end(socket.getPeerCertificate().subject.CN as string),
  )
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  teardown(t, () => void server.close())
  const { port } = server.address() as AddressInfo
  return (pair: Pick<ConnectionOptions, 'cert' | 'key'>) =>
    new Promise<string>((resolve, reject) => {
      const socket: TLSSocket = connect({ port, host: '127.0.0.1', ca: authority.certPem, ...pair })
      const parts: Buffer[] = []
      socket.on('data', (part) => parts.push(part))
      socket.on('error', reject)
      // TLS 1.3 tells a client late that it is refused: by then all it sees may be the end.
      socket.on('end', () =>
        parts.length > 0 ? resolve(Buffer.concat(parts).toString()) : reject(new Error('it was shown the door')),
      )
    })
}

describe('a signer of its own for add-ons', needsControlPlane, () => {
  const suite = suiteScope()
  const [known, other] = [uniqueName('known'), uniqueName('known')]
  let plane: ControlPlane
  let scene: AddonScene
  let signer: ExampleSigner
  let kube: Kube
  let installNamespace: string
  before(async () => {
    plane = await startControlPlane(suite, {})
    const { admin } = await addonHub(suite, plane)
    kube = await installed(suite, plane, admin)
    await eventually('it may look at requests', () => isAllowed(kube.of(certificateSigningRequests).list()))
    await eventually('it may look for its authority', () =>
      isAllowed(kube.of(secrets, namespace).find('addon-signer-ca')),
    )
    const deps = { clock: systemClock, random: systemRandom, log: silentLog }
    signer = await exampleSigner({ ...deps, kube, namespace, addons: [known, other] })
    runInTest(suite, [signer.run])
    scene = await addonScene(suite, plane)
    installNamespace = uniqueName('install')
    await scene.home.of(namespaces).create(aNamespace(installNamespace))
  })
  const requestOf = (addon: string) =>
    eventually('it asks', async () =>
      (await scene.csrs()).find(({ metadata }) => metadata.labels?.[labels.addonName] === addon),
    )
  const certified = (name: string) =>
    eventually('the certificate is there', async () => {
      const found = await scene.secretOf(name, installNamespace)
      return found?.['tls.crt'] === undefined ? undefined : { cert: found['tls.crt'], key: found['tls.key'] ?? '' }
    })

  test('its certificate opens a server that trusts it, and no other certificate does', async (t) => {
    const addon = await scene.addon([registration(), { type: 'kubeClient' }], { name: known, installNamespace })
    const visit = await tlsServer(t, signer.caPem)
    const pair = await certified(addonSecrets.customSigner(addon, signerName))
    assert.equal(await visit(pair), addonUser(scene.cluster, addon))
    const { certPem, keyPem } = await plane.issueClientCertificate({ commonName: addonUser(scene.cluster, addon) })
    await assert.rejects(visit(await certified(addonSecrets.kubeClient(addon))))
    await assert.rejects(visit({ cert: certPem, key: keyPem.reveal() }))
    await assert.rejects(visit({}))
    await scene.reaches(addon, addonConditions.certificateRotated, 'True')
  })

  test('its authority outlives it: another one signs with the same', async () => {
    const deps = { clock: systemClock, random: systemRandom, log: silentLog }
    const { caPem } = await exampleSigner({ ...deps, kube, namespace, addons: [] })
    assert.equal(caPem, signer.caPem)
  })

  test('another subject waits for a person, and the hub does not speak for the signer', async (t) => {
    const subject = { user: 'root', groups: ['admins'] }
    const addon = await scene.addon([registration(subject)], { name: other, installNamespace })
    const { metadata } = await requestOf(addon)
    const stranger = await scene.addon([registration()], { installNamespace })
    const unlisted = await requestOf(stranger)
    // Those that it signs by itself come after these, so it has looked at both.
    const late = await scene.addon([{ type: 'kubeClient' }], { installNamespace })
    await scene.reaches(late, addonConditions.certificateRotated, 'True')
    const csrs = scene.admin.of(certificateSigningRequests)
    for (const { name } of [metadata, unlisted.metadata])
      assert.equal((await csrs.get(name)).status?.conditions, undefined)

    await decide(scene.admin, metadata.name, 'Approved')
    const visit = await tlsServer(t, signer.caPem)
    assert.equal(await visit(await certified(addonSecrets.customSigner(addon, signerName))), 'root')
  })

  test('what somebody else asks for in the name of a cluster is not approved, and not signed when a person is fooled', async (t) => {
    const foobar = await addonScene(t, plane, { cluster: `${scene.cluster}bar` })
    const thief = await agentsClient(t, plane, foobar.home, foobar.namespace)
    const object = await scene.find(known)
    assert.ok(object)
    const [item] = itemsOf(object)
    assert.ok(item)
    const csrs = scene.admin.of(certificateSigningRequests)
    const csr = await thief
      .of(certificateSigningRequests)
      .create(await csrObject(addonOrder(item), generateKey().keyPem))
    // Its own cluster does not have the add-on.
    const own = { ...item, cluster: foobar.cluster, subject: {} }
    const absent = await thief
      .of(certificateSigningRequests)
      .create(await csrObject(addonOrder(own), generateKey().keyPem))
    await decide(scene.admin, csr.metadata.name, 'Approved')
    const failed = await eventually('it is refused for good', async () =>
      (await csrs.get(csr.metadata.name)).status?.conditions?.find(({ type }) => type === 'Failed'),
    )
    assert.deepEqual(
      [failed.reason, failed.message],
      ['RefusedBySigner', 'It is no proper request of an add-on: NotAsked.'],
    )
    assert.equal((await csrs.get(csr.metadata.name)).status?.certificate, undefined)
    assert.notEqual((await csrs.find(absent.metadata.name))?.status?.conditions?.[0]?.type, 'Approved')
  })

  test('its rights end with its own signer', async () => {
    const addon = await scene.addon([{ type: 'kubeClient', kubeClient: { subject: { user: 'x' } } }], {
      installNamespace,
    })
    const csr = await requestOf(addon)
    await assert.rejects(decide(kube, csr.metadata.name, 'Approved'), isForbidden)
  })
})
