import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { hubKinds } from '../../../src/apis/fleet-kinds.ts'
import { hubNamespace } from '../../../src/fleet/names.ts'
import type { KubeClient } from '../../../src/kube/client/index.ts'
import {
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  customResourceDefinitions,
  mutatingWebhookConfigurations,
  roles,
  secrets,
  serviceAccounts,
  validatingWebhookConfigurations,
} from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { aClusterRole, aClusterRoleBinding, aUser } from '../../support/builders.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { lanyard } from '../../support/lanyard.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { TestScope } from '../../support/test-scope.ts'

const hubArn = 'arn:aws:eks:eu-west-1:123456789012:cluster/hub'

describe('init', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: ControlPlane
  let kube: KubeClient
  before(async () => {
    plane = await startControlPlane(suite, {})
    kube = kubeClient(suite, plane.connection())
  })

  const init = (t: TestScope, on: ControlPlane, ...more: string[]) =>
    lanyard(t, ['init', '--kubeconfig', on.adminKubeconfigPath, ...more]).ended
  /** A signer on a busy machine is not one that is off. */
  const patience = ['--csr-check-seconds', '60']
  const requestsOn = async (there: Kube) => (await there.of(certificateSigningRequests).list()).items.length

  test('what this version does not have is refused, and nothing is changed', async (t) => {
    const refused: [string[], RegExp][] = [
      [['--registration-auth=aws-irsa'], /driver awsirsa the hub must be named; add --hub-cluster-arn ARN/],
      [['--registration-auth=aws-irsa', '--hub-cluster-arn', 'hub'], /--hub-cluster-arn: "hub" is not the ARN/],
      [['--hub-cluster-arn', hubArn], /no cluster can join by csr here.*--registration-auth=aws-irsa/],
      [['--registration-auth=grpc'], /grpc comes with a later version.*takes csr, awsirsa/],
      [['--registration-drivers', 'csr,ldap'], /no registration driver ldap/],
      [['--feature-gates', 'Foo=true'], /no feature gate Foo/],
      [['--auto-approved-csr-identities', 'someone'], /ManagedClusterAutoApproval=true/],
      [['--grpc-server', 'x'], /--grpc-server comes with a later version/],
    ]
    await Promise.all(
      refused.map(async ([flags, why]) => {
        const { code, err } = await init(t, plane, ...flags)
        assert.equal(code, 1, flags.join(' '))
        assert.match(err, why)
      }),
    )
    assert.equal(await kube.of(secrets, hubNamespace).find('lanyard-hub-ca'), undefined)
  })

  test('a cluster becomes a hub, and it may be repeated', async (t) => {
    const file = join(tempDir(t), 'join')
    const webhook = ['--webhook-url', 'https://127.0.0.1:19443', ...patience]
    const first = await init(t, plane, ...webhook, '--output-join-command-file', file)
    assert.equal(first.code, 0, first.err)

    const crds = (await kube.of(customResourceDefinitions).list()).items
    for (const { declaration } of hubKinds)
      assert.ok(
        crds.some(({ spec }) => spec.names.kind === declaration.kind),
        declaration.kind,
      )
    const ca = (await kube.of(secrets, hubNamespace).get('lanyard-hub-ca')).data?.['ca.crt']
    assert.ok(ca)
    const mutating = await kube.of(mutatingWebhookConfigurations).get('lanyard-hub')
    const validating = await kube.of(validatingWebhookConfigurations).get('lanyard-hub')
    for (const { webhooks = [] } of [mutating, validating]) {
      assert.ok(webhooks.length > 0)
      for (const { clientConfig, failurePolicy } of webhooks) {
        assert.match(clientConfig.url ?? '', /^https:\/\/127\.0\.0\.1:19443\//)
        assert.equal(clientConfig.caBundle, ca)
        assert.equal(failurePolicy, 'Fail')
      }
    }
    await kube.of(serviceAccounts, hubNamespace).get('registration-controller-sa')
    assert.ok((await kube.of(configMaps, 'kube-public').get('cluster-info')).data?.['kubeconfig'])
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.match(await readFile(file, 'utf8'), /^echo \S+ \| lanyard join --hub-token-file - --hub-apiserver https:/)

    const again = await init(t, plane, ...webhook, '-o', 'json')
    assert.equal(again.code, 0, again.err)
    const { warnings, 'hub-command': hubCommand, 'ca-pins': pins } = JSON.parse(again.out)
    assert.deepEqual(warnings, [])
    assert.match(hubCommand, /^lanyard hub --namespace=open-cluster-management-hub .*--webhook-url=https:/)
    assert.match(pins[0], /^sha256:[0-9a-f]{64}$/)
    assert.equal((await kube.of(secrets, hubNamespace).get('lanyard-hub-ca')).data?.['ca.crt'], ca)
  })

  test('both ways to join may be prepared for where the hub is not on EKS; again without AWS takes its rights', async (t) => {
    const both = ['--registration-drivers', 'csr,awsirsa', '--hub-cluster-arn', hubArn, '--aws-resource-tags', 'a=1']
    const made = await init(t, plane, ...both)
    assert.equal(made.code, 0, made.err)
    assert.match(made.out, /--enabled-registration-drivers=csr,awsirsa --hub-cluster-arn=\S+ --aws-resource-tags=a=1/)
    assert.match(made.out, /client certificates are signed/)
    const account = () => kube.of(serviceAccounts, hubNamespace).get('registration-controller-sa')
    const said = { 'lanyard.io/hub-cluster-arn': hubArn, 'lanyard.io/aws-resource-tags': 'a=1' }
    assert.deepEqual((await account()).metadata.annotations, said)
    const rights = () => kube.of(roles, 'kube-system').find('lanyard-hub-aws-auth')
    assert.ok(await rights())
    assert.equal((await init(t, plane)).code, 0)
    assert.equal(await rights(), undefined)
    assert.deepEqual((await account()).metadata.annotations ?? {}, {})
  })

  test('R83: it is silent where client CSRs are signed, and warns where the signer is off or approval forbidden', async (t) => {
    await t.test('a hub that signs', async (t) => {
      const { code, out, err } = await init(t, plane, ...patience)
      assert.equal(code, 0, err)
      assert.equal(err, '')
      assert.match(out, /client certificates are signed/)
      assert.equal(await requestsOn(kube), 0)
    })

    await t.test('one where approval is forbidden', async (t) => {
      const kubeconfig = join(tempDir(t), 'config')
      const certificate = await plane.issueClientCertificate({ commonName: 'no-approver' })
      await writeFile(kubeconfig, plane.kubeconfig({ certificate }))
      const all = ['', 'rbac.authorization.k8s.io', 'apiextensions.k8s.io', 'admissionregistration.k8s.io']
      await kube.of(clusterRoles).create(
        aClusterRole(
          'no-approver',
          ...all.map((group) => ({ apiGroups: [group], resources: ['*'], verbs: ['*'] })),
          // No wildcard: it would include the right to approve.
          { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'], verbs: ['*'] },
        ),
      )
      await kube.of(clusterRoleBindings).create(aClusterRoleBinding('no-approver', aUser('no-approver')))
      const { code, err } = await lanyard(t, ['init', '--kubeconfig', kubeconfig]).ended
      assert.equal(code, 0, err)
      assert.match(err, /warning: you may not approve client certificates here/)
      assert.equal(await requestsOn(kube), 0)
    })

    await t.test('one whose signer is off', async (t) => {
      const other = await startControlPlane(t, { controllers: withoutSigner })
      const { code, err } = await init(t, other, '--csr-check-seconds', '2')
      assert.equal(code, 0, err)
      assert.match(err, /warning: this cluster does not sign client certificates/)
      assert.equal(await requestsOn(kubeClient(t, other.connection())), 0)
    })
  })
})

/** The signer of client certificates is one of the controllers; these are the others that a hub needs. */
const withoutSigner = [
  'namespace-controller',
  'serviceaccount-controller',
  'root-ca-certificate-publisher-controller',
  'certificatesigningrequest-cleaner-controller',
]
