import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Command } from 'commander'
import type { AddonInstallOptions } from './addon-flags.ts'
import { installedAddons, tokenLifeWarning, withAddonFlags } from './addon-flags.ts'

function installed(...args: string[]) {
  const command = withAddonFlags(new Command('join'))
    .exitOverride()
    .configureOutput({ writeErr() {} })
  command.parseOptions(args)
  return installedAddons(command.opts<AddonInstallOptions>())
}

test('what is not given stays out of the Deployment, and 0 is as good as not given', () => {
  assert.deepEqual(installed(), {})
  assert.deepEqual(installed('--addon-token-expiration-seconds', '0'), {})
  assert.deepEqual(
    installed('--addon-kubeclient-registration-auth', 'token', '--addon-token-expiration-seconds', '86400'),
    { addonKubeClientRegistrationAuth: 'token', addonTokenExpirationSeconds: 86_400 },
  )
  assert.deepEqual(installed('--addon-namespaces', 'a,b'), { addonNamespaces: ['a', 'b'] })
})

test('tokens that no API server grants are refused, and the sentence says what is possible', () => {
  for (const life of ['599', '1', '-1', 'a']) assert.throws(() => installed('--addon-token-expiration-seconds', life))
  assert.throws(() => installed('--addon-token-expiration-seconds', '599'), /at least 600 seconds/)
  assert.deepEqual(installed('--addon-token-expiration-seconds', '600'), { addonTokenExpirationSeconds: 600 })
})

test('tokens of less than an hour get a warning', () => {
  for (const life of [600, 3_599]) assert.match(tokenLifeWarning(life) ?? '', /for tests/)
  for (const life of [undefined, 0, 3_600]) assert.equal(tokenLifeWarning(life), undefined)
})
