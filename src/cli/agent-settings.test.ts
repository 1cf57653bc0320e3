import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgentOptions } from './agent.ts'
import { agentCommand } from './agent.ts'
import { addonSettingsOf } from './agent-addons.ts'
import { agentSettingsOf } from './agent-settings.ts'

/** What the command line comes to, with all defaults. */
function settings(...args: string[]) {
  return settingsIn('agent', args)
}

function settingsIn(namespace: string, args: string[]) {
  return agentSettingsOf(parsed(args), { namespace, spokeCa: 'pem' })
}

function parsed(args: string[]): AgentOptions {
  const command = agentCommand({ signal: new AbortController().signal, exitCode: undefined })
    .exitOverride()
    .configureOutput({ writeErr() {} })
  command.parseOptions(args)
  return command.opts<AgentOptions>()
}

const addons = (...args: string[]) => addonSettingsOf(parsed(args), 'agent')

test('flags of the field become settings', () => {
  const made = settings(
    ...['--spoke-cluster-name', 'west', '--agent-id', 'abcde', '--bootstrap-kubeconfig', 'a', '--namespace', 'other'],
    ...['--cluster-annotations', 'agent.open-cluster-management.io/a=1', '--cluster-healthcheck-period', '1m0s'],
    ...['--spoke-external-server-urls', 'https://west.example', '--feature-gates', 'ClusterProperty=true'],
  )
  assert.deepEqual([made.clusterName, made.agentName, made.namespace], ['west', 'abcde', 'other'])
  assert.deepEqual(made.clusterAnnotations, { 'agent.open-cluster-management.io/a': '1' })
  assert.equal(made.member.healthCheckPeriodMs, 60_000)
  assert.deepEqual(made.member.features, { clusterClaim: true, clusterProperty: true })
  assert.deepEqual(made.externalServerUrls, [{ url: 'https://west.example', caBundle: 'cGVt' }])
})

test('the namespace is that of the kubeconfig unless one is given', () => {
  assert.equal(settings().namespace, 'agent')
})

test('a kubeconfig that names no namespace leads to the one that lanyard join uses', () => {
  assert.equal(settingsIn('default', []).namespace, 'open-cluster-management-agent')
  assert.equal(settingsIn('default', ['--namespace', 'default']).namespace, 'default')
})

test('hubs are tried in the order they are named', () => {
  const files = ['--bootstrap-kubeconfig', 'a', '--bootstrap-kubeconfigs', 'b', '--bootstrap-kubeconfigs', 'c']
  assert.deepEqual(settings(...files).bootstrapKubeconfigs, ['a', 'b', 'c'])
})

test('what cannot work is refused before anything is opened', () => {
  const refused: [string[], string][] = [
    [['--registration-auth', 'grpc'], 'DRIVER_LATER'],
    [['--registration-auth', 'aws-irsa'], 'AGENT_NEEDS_ARN'],
    [['--registration-auth', 'ldap'], 'DRIVER_UNKNOWN'],
    [['--hub-cluster-arn', 'arn'], 'FLAG_NEEDS_DRIVER'],
    [['--grpc-config', 'file'], 'FLAG_LATER'],
    [['--bootstrap-kubeconfig-secret', ''], 'AGENT_NO_BOOTSTRAP'],
    [['--feature-gates', 'MultipleHubs=true', '--bootstrap-kubeconfigs', 'a'], 'AGENT_ONE_HUB'],
  ]
  for (const [args, code] of refused) assert.throws(() => settings(...args), { code }, args.join(' '))
})

test('add-ons come by certificates that the agent looks after, unless flags say otherwise', () => {
  assert.deepEqual(addons(), {
    namespace: 'agent',
    hubKubeconfigSecret: 'hub-kubeconfig-secret',
    kubeClientDriver: 'csr',
    tokenExpirationSeconds: 0,
    leaseCheckMs: 30_000,
    leaseDurationSeconds: 60,
    leaseGraceFactor: 5,
    resyncMs: 300_000,
  })
  const token = addons(
    ...['--addon-kubeclient-registration-auth', 'token', '--addon-token-expiration-seconds', '7200'],
    ...['--addon-lease-check-period', '1s', '--addon-lease-duration-seconds', '2'],
  )
  assert.deepEqual([token?.kubeClientDriver, token?.tokenExpirationSeconds], ['token', 7_200])
  assert.deepEqual([token?.leaseCheckMs, token?.leaseDurationSeconds], [1_000, 2])
})

test('the gate AddonManagement turns them off', () => {
  assert.equal(addons('--feature-gates', 'AddonManagement=false'), undefined)
})

test('a driver that this version does not know is refused with those it knows', () => {
  assert.throws(() => addons('--addon-kubeclient-registration-auth', 'ldap'), {
    code: 'commander.invalidArgument',
    message: /--addon-kubeclient-registration-auth.*'ldap' is invalid.*csr, token/,
  })
})
