import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { Secret } from '../../../src/core/secret.ts'
import { hubNamespace } from '../../../src/fleet/names.ts'
import type { KubeClient } from '../../../src/kube/client/index.ts'
import { secrets, serviceAccounts } from '../../../src/kube/kinds.ts'
import { hubAccount } from '../../../src/registration/manifests/hub-rbac.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { prepareHub } from '../../support/hub-process.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { lanyard } from '../../support/lanyard.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TestScope } from '../../support/test-scope.ts'
import { whoAmI } from '../../support/who-am-i.ts'

describe('token', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: ControlPlane
  let kube: KubeClient
  before(async () => {
    plane = await startControlPlane(suite, {})
    kube = kubeClient(suite, plane.connection())
  })

  const token = (t: TestScope, ...flags: string[]) =>
    lanyard(t, ['token', '--kubeconfig', plane.adminKubeconfigPath, ...flags]).ended
  const userOf = (t: TestScope, text: string) =>
    whoAmI(kubeClient(t, plane.connection({ authorization: Secret.of(text) })))

  test('on a cluster that is no hub it says how to make it one', async (t) => {
    const { code, err } = await token(t)
    assert.equal(code, 1)
    assert.match(err, /prepare it first with `lanyard init`.*HUB_NOT_PREPARED/)
  })

  test('it prints a token of the bootstrap account, and a command with the pin of the CA', async (t) => {
    const { invited } = await prepareHub(t, plane)
    const { code, out, err } = await token(t, '--expires', '10m')
    assert.equal(code, 0, err)
    const [, printed = ''] = /^token=(\S+)$/m.exec(out) ?? []
    const { username } = await userOf(t, printed)
    assert.equal(username, 'system:serviceaccount:open-cluster-management:agent-registration-bootstrap')
    assert.ok(
      out.includes(
        `echo ${printed} | lanyard join --hub-token-file - --hub-apiserver ${plane.url} --ca-pin ${invited['ca-pins'][0]}`,
      ),
    )
  })

  test('a bootstrap token of Kubernetes ends, and is the same while it is good', async (t) => {
    await prepareHub(t, plane)
    const [first, second] = [
      await token(t, '--use-bootstrap-token', '-o', 'json'),
      await token(t, '--use-bootstrap-token', '-o', 'json'),
    ]
    const data = JSON.parse(first.out)
    assert.equal(JSON.parse(second.out)['hub-token'], data['hub-token'])
    const { groups } = await userOf(t, data['hub-token'])
    assert.ok(groups.includes('system:bootstrappers:managedcluster'))
    const { data: kept = {} } = await kube.of(secrets, 'kube-system').get('bootstrap-token-ocmhub')
    const expires = Buffer.from(kept['expiration'] ?? '', 'base64').toString()
    assert.equal(new Date(expires).getTime(), new Date(data['expires-at']).setMilliseconds(0))
  })

  test('on a hub that knows its ARN the command joins by AWS IAM, and the one by csr stands beside it', async (t) => {
    await prepareHub(t, plane)
    const arn = 'arn:aws:eks:eu-west-1:111122223333:cluster/hub'
    const accounts = kube.of(serviceAccounts, hubNamespace)
    const annotate = (value: string | null) =>
      accounts.patch(hubAccount, {
        type: 'merge',
        body: { metadata: { annotations: { 'lanyard.io/hub-cluster-arn': value } } },
      })
    await annotate(arn)
    const byAws = ` --registration-auth awsirsa --eks-hub-cluster-arn ${arn} --cluster-name <cluster_name>`
    const { out } = await token(t)
    const commands = out.split('\n').filter((line) => line.includes('| lanyard join '))
    assert.deepEqual(
      commands.map((line) => line.endsWith(byAws)),
      [true, false],
    )
    const data = JSON.parse((await token(t, '-o', 'json')).out)
    assert.ok(data['join-command'].endsWith(byAws))
    assert.ok(!data['join-command-csr'].includes('--registration-auth'))
    await annotate(null)
    const plain = JSON.parse((await token(t, '-o', 'json')).out)
    assert.ok(!plain['join-command'].includes('--registration-auth'))
    assert.equal(plain['join-command-csr'], undefined)
  })
})
