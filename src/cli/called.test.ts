import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Command } from 'commander'
import { calledBy, calledFrom, inCalledForm } from './called.ts'
import { hintOn } from './print-on.ts'
import { progressOn } from './progress.ts'

test('F18b: sources are called by npx, which must install nothing; a bundle by its name', () => {
  assert.equal(calledFrom('/home/me/lanyard/src/cli/main.ts'), 'npx --no-install lanyard')
  assert.equal(calledFrom('/usr/lib/node_modules/@scope/lanyard/dist/lanyard.js'), 'lanyard')
})

test('F18c: commands in sentences get the form, other words stay', () => {
  const said = [
    'lanyard: no hub is known; start one with `lanyard up` (lanyard doctor tells more)',
    'See it: lanyard access show a',
    '  lanyard kube --data ./kube',
    'the role of lanyard hub, a Deployment lanyard-agent, `lanyard-hub`',
  ]
  assert.deepEqual(inCalledForm(said.join('\n'), 'npx --no-install lanyard').split('\n'), [
    'lanyard: no hub is known; start one with `npx --no-install lanyard up` (npx --no-install lanyard doctor tells more)',
    'See it: npx --no-install lanyard access show a',
    '  npx --no-install lanyard kube --data ./kube',
    'the role of lanyard hub, a Deployment lanyard-agent, `lanyard-hub`',
  ])
  assert.equal(inCalledForm(said.join('\n'), 'lanyard'), said.join('\n'))
})

test('a command below commands is called as the program is', () => {
  const below = new Command('show')
  new Command('npx --no-install lanyard').addCommand(new Command('access').addCommand(below))
  assert.equal(calledBy(below), 'npx --no-install lanyard')
})

test('F18e: what is shown as a step and what is printed as a hint get the form', () => {
  const shown: string[] = []
  const write = (text: string) => shown.push(text)
  const stream = { isTTY: false, write } as unknown as NodeJS.WriteStream
  progressOn(stream, 'npx --no-install lanyard').show({ did: 'west asks to join', detail: 'lanyard accept west' })
  const below = new Command('show').configureOutput({ writeOut: write })
  new Command('npx --no-install lanyard').addCommand(below)
  hintOn(below)('See it: lanyard access show a\n')
  assert.deepEqual(shown, [
    '✔ west asks to join: npx --no-install lanyard accept west\n',
    'See it: npx --no-install lanyard access show a\n',
  ])
})
