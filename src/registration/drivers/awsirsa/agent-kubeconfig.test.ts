import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '../../../core/secret.ts'
import { formatHubKubeconfig } from '../../../fleet/hub-stanza.ts'
import { parseKubeconfig, selectContext } from '../../../kube/kubeconfig/index.ts'
import type { ExecForm } from './agent-kubeconfig.ts'
import { formatAwsKubeconfig, readAwsKubeconfig } from './agent-kubeconfig.ts'

const stanza = {
  name: 'the-hub',
  server: 'https://ABC.gr7.eu-central-1.eks.amazonaws.com',
  ca: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
  serverName: 'hub.example.com',
  proxyUrl: Secret.of('http://user:password@proxy:3128'),
}
const access = {
  region: 'eu-central-1',
  clusterName: 'hub',
  roleArn: 'arn:aws:iam::111111111111:role/ocm-hub-79e99112993014816615711cbd35a9bc',
}
const lanyard: ExecForm = { form: 'lanyard', command: '/usr/local/bin/lanyard' }

const selected = (text: Secret) => selectContext(parseKubeconfig(text.reveal(), { name: 'test' }), undefined, 'test')
const execOf = (form: ExecForm) => {
  const { args, ...exec } = selected(formatAwsKubeconfig(stanza, access, form)).user?.value.exec ?? assert.fail()
  return { ...exec, args: args?.map((arg) => arg.reveal()) }
}

test('the kubeconfig leads where the bootstrap one does, and holds no key', () => {
  const { cluster, user } = selected(formatAwsKubeconfig(stanza, access, lanyard))
  assert.equal(cluster.name, 'the-hub')
  assert.deepEqual(
    { ...cluster.value, proxyUrl: cluster.value.proxyUrl?.reveal() },
    {
      server: stanza.server,
      certificateAuthorityData: stanza.ca,
      tlsServerName: 'hub.example.com',
      proxyUrl: 'http://user:password@proxy:3128',
    },
  )
  assert.deepEqual(Object.keys(user?.value ?? {}), ['exec'])
})

test('a hub without CA, server name and proxy has none in the kubeconfig', () => {
  const { cluster } = selected(formatAwsKubeconfig({ name: 'h', server: 'https://h' }, access, lanyard))
  assert.deepEqual(cluster.value, { server: 'https://h' })
})

test('its plugin is Lanyard, with region, name of the hub and role', () => {
  assert.deepEqual(execOf(lanyard), {
    apiVersion: 'client.authentication.k8s.io/v1beta1',
    command: '/usr/local/bin/lanyard',
    interactiveMode: 'Never',
    args: ['aws', 'token', '--region', 'eu-central-1', '--cluster-name', 'hub', '--role-arn', access.roleArn],
  })
})

test('another endpoint of STS is passed on to the plugin', () => {
  const { args } = execOf({ ...lanyard, stsEndpoint: 'http://127.0.0.1:4566' })
  assert.deepEqual(args?.slice(-2), ['--sts-endpoint', 'http://127.0.0.1:4566'])
})

test('on request its plugin is the aws CLI, as the CLI itself would write it', () => {
  const { command, args } = execOf({ form: 'aws', command: 'aws' })
  assert.equal(command, 'aws')
  assert.equal(
    args?.join(' '),
    `--region eu-central-1 eks get-token --cluster-name hub --output json --role ${access.roleArn}`,
  )
})

test('what was written is read again, whichever the plugin', () => {
  for (const form of [lanyard, { form: 'aws', command: 'aws' } as const]) {
    const found = readAwsKubeconfig(formatAwsKubeconfig(stanza, access, form).reveal())
    assert.deepEqual(found?.access, access)
    assert.equal(found?.stanza.server, stanza.server)
    assert.equal(found?.stanza.proxyUrl?.reveal(), stanza.proxyUrl.reveal())
  }
})

test('what an agent with a certificate wrote, what is damaged and what is not there count as nothing', () => {
  for (const text of [formatHubKubeconfig(stanza), '', '{', 'kind: Config', '- a'])
    assert.equal(readAwsKubeconfig(text), undefined)
})
