import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailure } from '../../core/failure.ts'
import { parsePolicy } from './parse-policy.ts'

const head = 'apiVersion: audit.k8s.io/v1\nkind: Policy\n'

const parse = (text: string, warn: (flaws: readonly string[]) => void = () => assert.fail('nothing to warn of')) =>
  parsePolicy(Buffer.from(text), 'policy.yaml', warn)

const refusal = (text: string): string => {
  try {
    parse(text)
  } catch (error) {
    if (isFailure(error, 'AUDIT_POLICY_INVALID')) return String(error.params['detail'])
    throw error
  }
  return 'accepted'
}

test('what a rule says counts, else what the policy says of all', () => {
  const { rules } = parse(`${head}
omitStages: [RequestReceived]
omitManagedFields: true
rules:
- level: Metadata
- level: Request
  omitStages: [Panic]
  omitManagedFields: false
`)
  assert.deepEqual(
    rules.map(({ wanted: { level, omitStages, omitManagedFields } }) => [level, [...omitStages], omitManagedFields]),
    [
      ['Metadata', ['RequestReceived'], true],
      ['Request', ['RequestReceived', 'Panic'], false],
    ],
  )
})

test('a field that is unknown is told and passed over', () => {
  const told: string[] = []
  const { rules } = parse(`${head}rules: [{level: None, verb: [get]}]`, (flaws) => told.push(...flaws))
  assert.deepEqual(told, ['unknown field "rules[0].verb"'])
  assert.equal(rules.length, 1)
})

test('everything that is wrong is told at once, in the words of Kubernetes', () => {
  const supported = '"None", "Metadata", "Request", "RequestResponse"'
  assert.equal(
    refusal(`${head}rules: [{level: Foo, nonResourceURLs: [x]}, {}]`),
    `[rules[0].level: Unsupported value: "Foo": supported values: ${supported}, rules[0].nonResourceURLs[0]: Invalid value: "x": non-resource URL rules must begin with a '/' character, rules[1].level: Required value]`,
  )
  assert.equal(
    refusal(`${head}rules: [{level: None, nonResourceURLs: ['/b*c', '*', '/d/*']}]`),
    `rules[0].nonResourceURLs[0]: Invalid value: "/b*c": non-resource URL wildcards '*' must be the final character of the rule`,
  )
  assert.equal(
    refusal(`${head}rules: [{level: None, resources: [{resourceNames: [x]}]}]`),
    'rules[0].resources.resourceNames: Invalid value: ["x"]: using resourceNames requires at least one resource',
  )
  assert.match(
    refusal(`${head}rules: [{level: None, resources: [{group: apps/v1}]}]`),
    /^rules\[0\]\.resources\.group: Invalid value: "apps\/v1": a lowercase RFC 1123 subdomain/,
  )
})

test('what is no policy is refused', () => {
  assert.equal(refusal(head), 'loaded illegal policy with 0 rules')
  assert.match(refusal(''), /^unknown group version field/)
  assert.match(refusal('- a'), /^failed decoding: /)
  assert.match(refusal(`${head}rules: [`), /^failed decoding: yaml: line 3/)
  assert.match(refusal(`${head}rules: [{level: None, verbs: get}]`), /^failed decoding: json: cannot unmarshal string/)
  assert.equal(
    refusal('apiVersion: audit.k8s.io/v1beta1\nkind: Policy\nrules: [{level: None}]'),
    'failed decoding: no kind "Policy" is registered for version "audit.k8s.io/v1beta1"',
  )
})
