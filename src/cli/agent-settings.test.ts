import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgentOptions } from './agent.ts'
import { agentCommand } from './agent.ts'
import { agentSettingsOf } from './agent-settings.ts'

/** What the command line comes to, with all defaults. */
function settings(...args: string[]) {
  return settingsIn('agent', args)
}

function settingsIn(namespace: string, args: string[]) {
  const command = agentCommand({ signal: new AbortController().signal, exitCode: undefined }).exitOverride()
  command.parseOptions(args)
  return agentSettingsOf(command.opts<AgentOptions>(), { namespace, spokeCa: 'pem' })
}

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
    [['--registration-auth', 'aws-irsa'], 'DRIVER_LATER'],
    [['--registration-auth', 'ldap'], 'DRIVER_UNKNOWN'],
    [['--addon-kubeclient-registration-auth', 'token'], 'FLAG_LATER'],
    [['--hub-cluster-arn', 'arn'], 'FLAG_LATER'],
    [['--bootstrap-kubeconfig-secret', ''], 'AGENT_NO_BOOTSTRAP'],
    [['--feature-gates', 'MultipleHubs=true', '--bootstrap-kubeconfigs', 'a'], 'AGENT_ONE_HUB'],
  ]
  for (const [args, code] of refused) assert.throws(() => settings(...args), { code }, args.join(' '))
})
