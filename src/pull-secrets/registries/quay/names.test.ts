import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isQuayName, pooledRobotName, robotName, usernameOf } from './names.ts'

const org = 'redhat-openshift'
const uuid = 'a1b2c3d4-e5f6-4789-abcd-ef1234567890'
const random = 'a1b2c3d4e5f64789'
const named = (provider: string, region: string, own = org) => robotName({ org: own, provider, region, uuid })

const table: [provider: string, region: string, name: string, length: number][] = [
  ['gcp', 'us-east1', `hyperfleet_gcp_useast1_${random}`, 39],
  ['aws', 'us-west-2', `hyperfleet_aws_uswest2_${random}`, 39],
  ['azure', 'eastus', `hyperfleet_azure_eastus_${random}`, 40],
  ['GCP', 'europe-west1-a', `hyperfleet_gcp_europewest1a_${random}`, 44],
  ['aws', 'US.East-1', `hyperfleet_aws_useast1_${random}`, 39],
  ['aws', 'us_gov_west_1', `hyperfleet_aws_us_gov_west_1_${random}`, 45],
  ['ibm cloud', 'eu-de', `hyperfleet_ibmcloud_eude_${random}`, 41],
  ['gcp', '', `hyperfleet_gcp_${random}`, 31],
  ['', 'us-east1', `hyperfleet_useast1_${random}`, 35],
  ['aws', '_x_', `hyperfleet_aws_x_${random}`, 33],
  ['gcp', 'zürich-日本-1'.replace(/[a-z]/g, ''), `hyperfleet_gcp_1_${random}`, 33],
]
for (const [provider, region, name, length] of table)
  test(`'${provider}' and '${region}' make ${name}`, () => {
    assert.equal(named(provider, region), name)
    assert.equal(name.length, length)
  })

test('a region that is too long makes none', () => {
  assert.equal(named('aws', 'x'.repeat(240)), undefined)
})

test('254 characters are the longest name, where the organization leaves room for it', () => {
  const fits = 254 - `hyperfleet_aws__${random}`.length
  // No organization is that short; the house rule is the limit here.
  assert.equal(named('aws', 'x'.repeat(fits), '')?.length, 254)
  assert.equal(named('aws', 'x'.repeat(fits + 1), ''), undefined)
})

test('organization, plus and name together have at most 255 characters', () => {
  const fits = 255 - usernameOf(org, `hyperfleet_aws__${random}`).length
  const name = named('aws', 'x'.repeat(fits)) ?? ''
  assert.equal(usernameOf(org, name).length, 255)
  assert.equal(named('aws', 'x'.repeat(fits + 1)), undefined)
})

test('robots of the pool have a name for no cluster', () => {
  assert.equal(pooledRobotName(org, uuid), `hyperfleet_multi_global_${random}`)
})

test('P12a: whatever the provider and the region, a name is legal for us and for Quay or there is none', () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 300 })
  fc.assert(
    fc.property(anyText, anyText, fc.uuid({ version: 4 }), (provider, region, drawn) => {
      const name = robotName({ org, provider, region, uuid: drawn })
      if (name === undefined) return
      assert.match(name, /^[a-z0-9_]{1,254}$/)
      assert.match(name, /^([a-z0-9]+(?:[._-][a-z0-9]+)*)$/)
      assert.match(name, /^hyperfleet_.*[0-9a-f]{16}$/)
      assert.ok(usernameOf(org, name).length <= 255 && isQuayName(name))
    }),
  )
})

test('a short provider and region always make a name', () => {
  const short = fc.string({ unit: 'binary', maxLength: 20 })
  fc.assert(fc.property(short, short, (provider, region) => named(provider, region) !== undefined))
})

test('what Quay would not name so is not put into a path', () => {
  for (const name of [
    '',
    '.',
    '..',
    'a',
    'a/b',
    'a+b',
    'A',
    'a__b',
    '_a',
    'a_',
    'a%2e',
    'ab\n',
    'ab ',
    'x'.repeat(256),
  ])
    assert.equal(isQuayName(name), false, JSON.stringify(name))
  for (const name of ['ab', 'a.b', 'a-b_c', 'x'.repeat(255)]) assert.equal(isQuayName(name), true)
})
