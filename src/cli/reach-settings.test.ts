import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '../core/config.ts'
import { defaultSpokeSettings } from '../fleet/spoke/index.ts'
import { defaultReachSettings } from '../reach/hub/deps.ts'
import { configSchema } from './config-schema.ts'
import { reachSettingsOf, spokeSettingsOf } from './reach-settings.ts'

const configOf = async (flags: Readonly<Record<string, unknown>> = {}) =>
  (await loadConfig(configSchema, { flags })).config.reach

test('what lanyard.yaml leaves out is as the parts have it themselves', async () => {
  const config = await configOf()
  assert.deepEqual(spokeSettingsOf(config, {}), defaultSpokeSettings)
  assert.deepEqual(reachSettingsOf(config), defaultReachSettings)
})

test('a variable is the start value of the loopback rule, and the file has the last word', async () => {
  const off = { BREAKGLASS_DISABLE_LOOPBACK_REWRITE: 'true' }
  assert.equal(spokeSettingsOf(await configOf(), off).rewriteLoopback, false)
  assert.equal(spokeSettingsOf(await configOf({ 'reach.rewriteLoopback': true }), off).rewriteLoopback, true)
  assert.equal(spokeSettingsOf(await configOf({ 'reach.rewriteLoopback': false }), {}).rewriteLoopback, false)
})

test('a pod knows that it is one', async () => {
  assert.equal(spokeSettingsOf(await configOf(), { KUBERNETES_SERVICE_HOST: '10.0.0.1' }).insideCluster, true)
})

test('the breaker can be turned off', async () => {
  assert.equal(spokeSettingsOf(await configOf({ 'reach.breaker.enabled': false }), {}).breaker, undefined)
  const config = await configOf({ 'reach.breaker.failures': 5, 'reach.breaker.openSeconds': 2 })
  assert.deepEqual(spokeSettingsOf(config, {}).breaker, { failures: 5, openMs: 2_000 })
})
