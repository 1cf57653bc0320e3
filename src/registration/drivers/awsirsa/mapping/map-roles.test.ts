import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isFailure } from '../../../../core/failure.ts'
import type { MappedRole } from './map-roles.ts'
import * as mapRoles from './map-roles.ts'

const { readMapRoles } = mapRoles
const entriesFor = (text: string, roleArn: string) => mapRoles.entriesFor(readMapRoles(text), roleArn)
const withEntry = (text: string, wanted: MappedRole) => mapRoles.withEntry(readMapRoles(text), wanted).text
const withoutEntry = (text: string, roleArn: string) => mapRoles.withoutEntry(readMapRoles(text), roleArn).text

const own: MappedRole = {
  roleArn: 'arn:aws:iam::123456789012:role/ocm-hub-138c525cf3b7f74ba3b945e7847792cc',
  username: 'west',
  groups: ['system:open-cluster-management:west'],
}

const nodes = `# who may come in
- rolearn: arn:aws:iam::123456789012:role/nodes # the workers
  username: system:node:{{EC2PrivateDNSName}}
  groups:
    - system:bootstrappers   # two
    - system:nodes
    # deep
# the end
`

const entry = `- rolearn: ${own.roleArn}
  username: "west"
  groups:
  - "system:open-cluster-management:west"
`

test('our entry goes after the last one, and all else stays byte for byte', () => {
  const cut = nodes.indexOf('    # deep')
  assert.equal(withEntry(nodes, own), nodes.slice(0, cut) + entry + nodes.slice(cut))
})

test('what was put in is taken out again without a trace', () => {
  for (const text of [
    nodes,
    nodes.trimEnd(),
    nodes.replaceAll('\n', '\r\n'),
    '',
    '# nothing\n',
    '---\n',
    indented(nodes),
  ])
    assert.equal(withoutEntry(withEntry(text, own), own.roleArn), text)
})

test('an empty list is filled, whichever way it is written', () => {
  for (const text of ['', '\n', '# nothing\n', '# nothing', '---\n', '[]', '[]\n', '[ ] # none\n'])
    assert.deepEqual(entriesFor(withEntry(text, own), own.roleArn), [own])
})

test('a list in the style of JSON stays one', () => {
  const text = '[{"rolearn":"a","username":"u","groups":[]}, # one\n {rolearn: b, groups: [c]},\n]\n'
  const added = withEntry(text, own)
  assert.equal(
    added,
    text.replace('[c]}', `[c]}, ${JSON.stringify({ rolearn: own.roleArn, username: 'west', groups: own.groups })}`),
  )
  assert.equal(withoutEntry(added, own.roleArn), text)
  const first = `[${JSON.stringify({ rolearn: own.roleArn })}, {rolearn: b}]`
  assert.equal(withoutEntry(first, own.roleArn), '[ {rolearn: b}]')
})

test('the text stays the same object when our entry is as it should be, however it is written', () => {
  const theirs = `- groups: [ 'system:open-cluster-management:west' ]\n  roleARN: ${own.roleArn}\n  Username: west\n`
  assert.equal(withEntry(theirs, own), theirs)
})

test('an entry of ours with another user name or other groups is written anew', () => {
  for (const wrong of [
    { ...own, username: 'east' },
    { ...own, groups: ['system:masters'] },
    { ...own, groups: [] },
  ]) {
    const drifted = withEntry(nodes, wrong)
    assert.equal(withEntry(drifted, own), withEntry(nodes, own))
  }
})

test('of two entries for the same role one is left, however the ARN is capitalised', () => {
  const twice = `${entry}${nodes}${entry.replace('ocm-hub', 'OCM-Hub')}`
  assert.deepEqual(entriesFor(withEntry(twice, own), own.roleArn), [own])
  assert.equal(withoutEntry(twice, own.roleArn), nodes)
})

test('names are compared whole: the role of another cluster whose name begins the same stays', () => {
  const longer = entry.replace(own.roleArn, `${own.roleArn}0`)
  assert.equal(withoutEntry(longer, own.roleArn), longer)
})

test('a cluster whose name reads as a number or as null is mapped by its name', () => {
  for (const username of ['123', 'null', 'true', '1e3', '0x1f'])
    assert.deepEqual(entriesFor(withEntry(nodes, { ...own, username }), own.roleArn), [{ ...own, username }])
})

test('text that is no list of maps, or no YAML, is refused and not written over', () => {
  for (const text of [
    '- [',
    'a: b\n',
    'just text\n',
    '- a\n- b\n',
    '- rolearn: x\n...\n---\n- rolearn: y\n',
    '\t- a: b\n',
    'null',
    '- *nowhere\n',
  ])
    for (const edit of [() => withEntry(text, own), () => withoutEntry(text, own.roleArn)])
      assert.throws(edit, (error) => isFailure(error, 'AWS_AUTH_UNREADABLE'), JSON.stringify(text))
})

test('an entry that others refer to is not cut out from under them', () => {
  const text = `- &ours\n  rolearn: ${own.roleArn}\n  username: west\n- <<: *ours\n  rolearn: other\n`
  assert.throws(
    () => withoutEntry(text, own.roleArn),
    (error) => isFailure(error, 'AWS_AUTH_UNREADABLE'),
  )
})

const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/)
const comment = fc.oneof(
  fc.constant(''),
  fc.stringMatching(/^[ -~]{0,12}$/).map((said) => `# ${said}`),
)
const scalar = (value: string) => fc.constantFrom(value, `'${value}'`, `"${value}"`, `${value} # why`)
const foreignEntry = fc
  .record({
    name: word,
    user: word.chain(scalar),
    groups: fc.array(word.chain(scalar), { minLength: 1, maxLength: 3 }),
    above: comment,
    inner: fc.nat(4),
    style: fc.constantFrom('block', 'flow', 'literal'),
    blank: fc.constantFrom('', '\n', '   \n'),
  })
  .map(({ name, user, groups, above, inner, style, blank }) => {
    const list =
      style === 'block'
        ? `\n${groups.map((group) => `${' '.repeat(2 + inner)}- ${group}`).join('\n')}`
        : ` [${groups.map((group) => group.replace(/ #.*/, '')).join(', ')}]`
    const note = style === 'literal' ? '\n  note: |+\n    as it is\n\n' : ''
    return `${above && `${above}\n`}- rolearn: arn:aws:iam::1:role/${name}\n  username: ${user}\n  groups:${list}${note}\n${blank}`
  })
const indented = (text: string) => text.replace(/^(?=.*\S)/gm, '  ')
const layout = fc
  .tuple(fc.array(foreignEntry, { maxLength: 4 }), fc.constantFrom('\n', '\r\n'), fc.boolean(), fc.boolean(), comment)
  .map(([entries, newline, isIndented, endsLine, end]) => {
    const text = entries.join('') + end
    const whole = isIndented ? indented(text) : text
    return (endsLine ? whole : whole.trimEnd()).replaceAll('\n', newline)
  })

/** What is left of `longer` without one stretch of it. */
function isCutFrom(shorter: string, longer: string): boolean {
  let same = 0
  while (same < shorter.length && shorter[same] === longer[same]) same++
  return longer.endsWith(shorter.slice(same))
}

test('whatever the layout, ours is put in by one insertion, and taken out again by one cut', () => {
  fc.assert(
    fc.property(layout, (text) => {
      const added = withEntry(text, own)
      assert.deepEqual(entriesFor(added, own.roleArn), [own])
      assert.ok(isCutFrom(text, added), added)
      const removed = withoutEntry(added, own.roleArn)
      assert.equal(removed.trimEnd(), text.trimEnd())
      assert.equal(withEntry(added, own), added)
    }),
    { numRuns: 300 },
  )
})

test('wherever ours is among the others, to take it out leaves every other line', () => {
  fc.assert(
    fc.property(fc.array(foreignEntry, { maxLength: 3 }), fc.array(foreignEntry, { maxLength: 3 }), (before, after) => {
      const [head, tail] = [before.join(''), after.join('')]
      assert.equal(withoutEntry(head + entry + tail, own.roleArn), head + tail)
      const drifted = entry.replace('"west"', 'someone')
      assert.ok(isCutFrom(head + tail, withEntry(head + drifted + tail, own)))
    }),
    { numRuns: 200 },
  )
})
