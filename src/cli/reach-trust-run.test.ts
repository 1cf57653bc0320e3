import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Command } from 'commander'
import { reachTrustCommand } from './reach-trust.ts'
import { trustText } from './reach-trust-run.ts'

const [old, next] = ['AB:'.repeat(31).concat('AB'), 'CD:'.repeat(31).concat('CD')]
const west = { cluster: 'west', namespace: 'fleet', server: 'https://west:6443', ready: 'True' as const }
const byHand = /openssl x509 -noout -fingerprint -sha256 -in \/etc\/kubernetes\/pki\/ca.crt/

test('what is on record is shown with how to compare it, and nothing is to be confirmed', () => {
  const text = trustText({ ...west, source: 'FirstUse', fingerprint: old })
  assert.match(text, new RegExp(`on record: +${old}`))
  assert.match(text, byHand)
  assert.doesNotMatch(text, /lanyard reach trust/)
})

test('another CA is shown beside the one on record, with the command that confirms it', () => {
  const text = trustText({ ...west, source: 'FirstUse', fingerprint: old, offered: next })
  assert.match(text, new RegExp(`on record: +${old}\n.*shown now: +${next}`))
  assert.match(text, byHand)
  assert.ok(text.endsWith(`  lanyard reach trust west --fingerprint ${next}\n`), text)
})

test('what waits for the cluster is told', () => {
  assert.match(trustText({ ...west, source: 'FirstUse', fingerprint: old, confirmed: next }), /not shown .* yet/)
})

test('where no fingerprint is known there is nothing to compare', () => {
  for (const source of ['System', 'Insecure']) assert.doesNotMatch(trustText({ ...west, source }), /openssl|undefined/)
  assert.match(trustText({ ...west, ready: 'Unknown' }), /has not looked/)
  const failed = trustText({ ...west, ready: 'False', reason: 'OIDCDiscoveryFailed' })
  assert.match(failed, /Ready: +False \(OIDCDiscoveryFailed\)[\s\S]*did not get so far/)
})

test('a fingerprint of another length is refused before anybody is asked', async () => {
  const command = reachTrustCommand({ signal: new AbortController().signal } as Parameters<typeof reachTrustCommand>[0])
  const program = new Command().addCommand(command)
  const said: string[] = []
  for (const one of [program, command]) one.exitOverride().configureOutput({ writeErr: (text) => void said.push(text) })
  await assert.rejects(program.parseAsync(['node', 'lanyard', 'trust', 'west', '--fingerprint', 'AB:CD']))
  assert.match(said.join(''), /--fingerprint.*64 hex digits/)
})
