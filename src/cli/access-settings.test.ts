import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultAccessSettings } from '../access/settings.ts'
import { loadConfig } from '../core/config.ts'
import { accessSettingsOf } from './access-settings.ts'
import { configSchema } from './config-schema.ts'

const configOf = async (flags: Readonly<Record<string, unknown>> = {}) =>
  (await loadConfig(configSchema, { flags })).config.access

test('what lanyard.yaml leaves out is as the parts have it themselves', async () => {
  assert.deepEqual(accessSettingsOf(await configOf()), defaultAccessSettings)
})

test('people write seconds, and the URL that they give comes before the one that is bound', async () => {
  const settings = accessSettingsOf(
    await configOf({ 'access.spokeDeadline': 0.25, 'access.reviewTtl.allowed': 2 }),
    'https://127.0.0.1:9444/',
  )
  assert.deepEqual([settings.spokeDeadlineMs, settings.reviewTtlMs.allowed], [250, 2_000])
  assert.equal(settings.url, 'https://127.0.0.1:9444')
  const given = await configOf({ 'access.url': 'https://lanyard.example.com' })
  assert.equal(accessSettingsOf(given, 'https://127.0.0.1:9444').url, 'https://lanyard.example.com')
})

test('places for notices are told with what is wrong with them', async () => {
  await assert.rejects(configOf({ 'access.notify': [{ name: 'chat', kind: 'pigeon', url: 'https://x' }] }), /kind/)
})
