import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  configKeyFlaws,
  dns1035LabelFlaws,
  dnsLabelFlaws,
  dnsSubdomainFlaws,
  labelName,
  labelValueFlaws,
  pathSegmentFlaws,
  percentFlaws,
  portFlaws,
  portNameFlaws,
  qualifiedNameFlaws,
  subdomainName,
} from './names.ts'

const accepts = (flawsOf: (value: string) => string[], ...values: string[]) => {
  for (const value of values) assert.deepEqual(flawsOf(value), [], value)
}
const refuses = (flawsOf: (value: string) => string[], ...values: string[]) => {
  for (const value of values) assert.notEqual(flawsOf(value).length, 0, value)
}

test('a DNS subdomain is labels with dots between them', () => {
  accepts(dnsSubdomainFlaws, 'a', 'a-b.c', '1.2', 'x'.repeat(253))
  refuses(dnsSubdomainFlaws, '', 'A', 'a_b', '-a', 'a-', 'a..b', '.a', 'x'.repeat(254))
})

test('a DNS label has no dots, and is told so', () => {
  accepts(dnsLabelFlaws, 'a', '1-a')
  assert.deepEqual(dnsLabelFlaws('a.b'), ['must not contain dots'])
  assert.equal(dnsLabelFlaws('x'.repeat(64))[0], 'must be no more than 63 characters')
  refuses(dnsLabelFlaws, 'A.b')
})

test('a label of RFC 1035 begins with a letter', () => {
  accepts(dns1035LabelFlaws, 'v1')
  refuses(dns1035LabelFlaws, '1v', 'V')
})

test('a qualified name may have a domain before it', () => {
  accepts(qualifiedNameFlaws, 'a', 'A_b.c', 'example.com/A')
  refuses(qualifiedNameFlaws, '', '/', 'a/', '/a', 'a/b/c', 'A_/b', 'a b', `${'x'.repeat(64)}`)
  assert.deepEqual(qualifiedNameFlaws('a/').slice(0, 1), ['name part must be non-empty'])
})

test('the value of a label may be empty', () => {
  accepts(labelValueFlaws, '', 'A_b.c-1')
  refuses(labelValueFlaws, '-', 'a b', 'ü', 'x'.repeat(64))
})

test('a config key is the name of a file, and of no folder above it', () => {
  accepts(configKeyFlaws, '.a', 'A_b-c.d', 'a..b')
  refuses(configKeyFlaws, '', '.', '..', '..a', 'a/b', 'a b')
})

test('a path segment is nearly anything', () => {
  accepts(pathSegmentFlaws, 'System:a b', 'ü', '...')
  assert.deepEqual(pathSegmentFlaws('a/%'), ["may not contain '/'", "may not contain '%'"])
  refuses(pathSegmentFlaws, '.', '..')
})

test('ports have numbers and short names', () => {
  accepts(portNameFlaws, 'http', 'a-1')
  refuses(portNameFlaws, '', '1', 'a--b', '-a', 'A', 'x'.repeat(16))
  assert.deepEqual([portFlaws(1), portFlaws(65535)], [[], []])
  assert.deepEqual(portFlaws(0), ['must be between 1 and 65535, inclusive'])
})

test('a share is a number of percent', () => {
  accepts(percentFlaws, '0%', '100%')
  refuses(percentFlaws, '%', '5', '-5%', '5 %')
})

test('the beginning of a name may end in a dash', () => {
  assert.deepEqual([subdomainName('a-', true), labelName('ab-', true)], [[], []])
  assert.notEqual(subdomainName('a-', false).length, 0)
  assert.notEqual(subdomainName('-', true).length, 0)
})
