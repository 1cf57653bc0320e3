import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Static } from 'typebox'
import * as Value from 'typebox/value'
import { systemClock } from '../../core/clock.ts'
import { silentLog } from '../../core/log.ts'
import { noMetrics } from '../../core/metrics.ts'
import { systemRandom } from '../../core/random.ts'
import { structural } from '../../core/schema/structural.ts'
import { checkedRegistries } from './check-config.ts'
import type { RegistryConfig } from './config.ts'
import { defaultRegistries, openRegistries, registriesSchema } from './index.ts'

const quay: RegistryConfig = { id: 'quay', type: 'Quay', url: 'quay.io', orgName: 'acme', teamName: 'pullers' }
const cloud: RegistryConfig = { id: 'cloud', type: 'Quay', url: 'cloud.openshift.com', credentialSource: 'quay' }
const open = (configs: RegistryConfig[]) =>
  openRegistries(configs, {
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    metrics: noMetrics,
    instanceId: 'default',
  })

test('nothing configured is the default set: two accounts, four hosts, in order', () => {
  const { entries, sources } = open([])
  assert.deepEqual(
    entries.map(({ id, host, credentialSource, required }) => [id, host, credentialSource, required]),
    [
      ['quay', 'quay.io', undefined, true],
      ['cloud-openshift', 'cloud.openshift.com', 'quay', true],
      ['redhat', 'registry.redhat.io', undefined, true],
      ['redhat-connect', 'registry.connect.redhat.com', 'redhat', true],
    ],
  )
  assert.deepEqual(
    sources.map(({ id }) => id),
    ['quay', 'redhat'],
  )
})

test('where the API and the login are follows from the type and the host', () => {
  const { sources } = checkedRegistries(defaultRegistries)
  assert.deepEqual(
    sources.map(({ apiBaseUrl, loginUrl }) => [apiBaseUrl, loginUrl]),
    [
      ['https://quay.io/api/v1', 'https://quay.io/v2/auth'],
      [
        'https://container-registry-authorizer.api.redhat.com/v1',
        'https://registry.redhat.io/auth/realms/rhcc/protocol/redhat-docker-v2/auth?service=docker-registry',
      ],
    ],
  )
})

test('old ids are understood', () => {
  const { find } = open([])
  assert.equal(find('Quay_quay.io')?.id, 'quay')
  assert.equal(find('Redhat_registry.redhat.io')?.id, 'redhat')
  assert.equal(find('rhit')?.id, 'redhat')
  assert.equal(find('quay')?.id, 'quay')
  assert.equal(find('nothing'), undefined)
  assert.equal(open([quay, { ...cloud, credentialSource: 'Quay_quay.io' }]).find('cloud')?.credentialSource, 'quay')
})

test('a Quay entry that asks for it shows its credential at cloud.openshift.com, once', () => {
  const hosts = (configs: RegistryConfig[]) => open(configs).entries.map(({ id, host }) => `${id} ${host}`)
  const asking = { ...quay, cloudAlias: true }
  assert.deepEqual(hosts([asking]), ['quay quay.io', 'cloud-openshift cloud.openshift.com'])
  assert.deepEqual(hosts([asking, cloud]), ['quay quay.io', 'cloud cloud.openshift.com'])
  assert.deepEqual(hosts([quay]), ['quay quay.io'])
})

test('an entry that is switched off is not there', () => {
  const { entries } = open([quay, { ...cloud, enabled: false }])
  assert.deepEqual(
    entries.map(({ id }) => id),
    ['quay'],
  )
})

test('only a source has a driver, one for requests and one for the background', () => {
  const registries = open([quay, cloud])
  assert.equal(registries.driver('quay').id, 'quay')
  assert.notEqual(registries.driver('quay'), registries.driver('quay', 'background'))
  assert.throws(() => registries.driver('cloud'), TypeError)
})

const wrong: [what: string, configs: RegistryConfig[], field: string, problem: RegExp][] = [
  ['an alias of nothing', [quay, { ...cloud, credentialSource: 'other' }], '[1].credentialSource', /no entry/],
  [
    'an alias of what is switched off',
    [quay, { ...quay, id: 'off', url: 'off.io', enabled: false }, { ...cloud, credentialSource: 'off' }],
    '[2].credentialSource',
    /switched off/,
  ],
  ['an alias of itself', [quay, { ...cloud, credentialSource: 'cloud' }], '[1].credentialSource', /itself/],
  [
    'an alias of an alias',
    [quay, cloud, { ...cloud, id: 'more', url: 'more.io', credentialSource: 'cloud' }],
    '[2].credentialSource',
    /name quay/,
  ],
  ['a host twice', [quay, { ...quay, id: 'again' }], '[1].url', /second time/],
  ['an id twice', [quay, { ...quay, url: 'other.io' }], '[1].id', /second time/],
  ['a host with a scheme', [{ ...quay, url: 'https://quay.io' }], '[0].url', /without a scheme/],
  ['a host with a slash at its end', [{ ...quay, url: 'quay.io/' }], '[0].url', /without a slash/],
  ['a host with a path of dots', [{ ...quay, url: 'quay.io/..' }], '[0].url', /host/],
  ['an open registry', [quay, { ...cloud, url: 'registry.access.redhat.com' }], '[1].url', /leave it out/],
  ['a team that Quay would not take', [{ ...quay, teamName: 'Pullers!' }], '[0].teamName', /lower-case/],
  ['an organization that is none', [{ ...quay, orgName: '..' }], '[0].orgName', /organization/],
  [
    'a Quay entry without team',
    [{ id: 'quay', type: 'Quay', url: 'quay.io', orgName: 'a1' }],
    '[0].teamName',
    /must be/,
  ],
  ['an API without TLS', [{ ...quay, apiBaseUrl: 'http://quay.io/api/v1' }], '[0].apiBaseUrl', /https/],
  ['an API at a name like loopback', [{ ...quay, apiBaseUrl: 'http://127.evil.io' }], '[0].apiBaseUrl', /https/],
  ['an API with credentials', [{ ...quay, apiBaseUrl: 'https://a:b@quay.io' }], '[0].apiBaseUrl', /credentials/],
  ['an API with a query', [{ ...quay, apiBaseUrl: 'https://quay.io/?a' }], '[0].apiBaseUrl', /path/],
  ['an API that is no address', [{ ...quay, apiBaseUrl: 'quay.io' }], '[0].apiBaseUrl', /https/],
  ['a login without TLS', [{ ...quay, loginUrl: 'http://quay.io/v2/auth' }], '[0].loginUrl', /https/],
  [
    'two ways to be let in',
    [{ ...quay, auth: { tokenFile: 'a', username: 'b', passwordFile: 'c' } }],
    '[0].auth',
    /one/,
  ],
  ['half of a password', [{ ...quay, auth: { username: 'b' } }], '[0].auth', /both/],
  ['half of a certificate', [{ ...quay, auth: { certFile: 'b' } }], '[0].auth', /both/],
  [
    'a partner that is none',
    [{ id: 'r', type: 'Redhat', url: 'r.io', partnerCode: '../x' }],
    '[0].partnerCode',
    /letters/,
  ],
  ['an id out of other letters', [{ ...quay, id: 'Quay' }], '[0].id', /lower-case/],
  [
    'a cloud alias of another type',
    [{ id: 'r', type: 'Redhat', url: 'r.io', cloudAlias: true }],
    '[0].cloudAlias',
    /Quay/,
  ],
  ['a misspelt field', [{ ...quay, teamname: 'a' } as RegistryConfig], '[0].teamname', /not a setting/],
  ['no source', [{ ...quay, enabled: false }], '', /of its own/],
]
for (const [what, configs, field, problem] of wrong)
  test(`refused: ${what}`, () => {
    assert.throws(
      () => open(configs),
      (error: { code: string; params: Record<string, unknown> }) => {
        assert.equal(error.code, 'CONFIG_WRONG_VALUE', String(error))
        assert.equal(error.params['field'], `pullSecrets.registries${field}`)
        assert.match(String(error.params['problem']), problem)
        return true
      },
    )
  })

test('a circle of aliases is refused, and all mistakes are told at once', () => {
  const circle: RegistryConfig[] = [
    quay,
    { ...cloud, credentialSource: 'back' },
    { ...cloud, id: 'back', url: 'back.io', credentialSource: 'cloud' },
  ]
  assert.throws(() => open(circle), { code: 'CONFIG_INVALID', message: /2 mistakes: .*\[1\].*\[2\]/ })
})

test('plain http is for this machine, by each of its names', () => {
  for (const host of ['localhost:1', '127.0.0.1:2', '127.9.9.9', '[::1]:3'])
    assert.ok(open([{ ...quay, apiBaseUrl: `http://${host}/api/v1` }]))
})

test('hosts may have a port and a path', () => {
  for (const url of ['localhost:5000', 'quay.io/acme', 'quay.io/acme/team-a', '10.0.0.1', '[::1]:5000'])
    assert.equal(open([{ ...quay, url }]).entries[0]?.host, url)
})

test('the schema says what the type says, in a way that a configuration file can be checked by', () => {
  assert.ok(structural(registriesSchema))
  assert.ok(Value.Check(registriesSchema, [...defaultRegistries]))
  assert.ok(!Value.Check(registriesSchema, [{ ...quay, type: 'Docker' }]))
  const asDeclared: Static<typeof registriesSchema> = [quay]
  const asTyped: readonly RegistryConfig[] = asDeclared
  assert.ok(asTyped)
})
