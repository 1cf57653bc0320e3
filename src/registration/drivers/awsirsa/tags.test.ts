import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ownTags, parseTags } from './tags.ts'

test('tags are given as key=value, and a value may be empty', () => {
  assert.deepEqual(parseTags(['team=fleet', 'cost centre=12/ä', 'wrong=', '__proto__=x']), {
    tags: Object.fromEntries([
      ['team', 'fleet'],
      ['cost centre', '12/ä'],
      ['wrong', ''],
      ['__proto__', 'x'],
    ]),
  })
  assert.deepEqual(parseTags([]), { tags: {} })
})

const refused: [string, string[], RegExp][] = [
  ['no =', ['team'], /^the tag "team" does not have exactly one =; write it as key=value$/],
  ['two =', ['team=a=b'], /exactly one =/],
  ['nothing', [''], /exactly one =/],
  ['no key', ['=value'], /has no key/],
  ['a long key', [`${'k'.repeat(129)}=v`], /key of 129 characters, and AWS allows 128/],
  ['a long value', [`k=${'v'.repeat(257)}`], /value of 257 characters, and AWS allows 256/],
  ['a strange key', ['k?=v'], /characters other than/],
  ['a strange value', ['k=v\n'], /characters other than/],
  ['a key of AWS', ['AWS:team=x'], /begins with aws:/],
  ['a key of ours', [`${ownTags.hubCluster}=x`], /Lanyard knows what is its own/],
  ['a key given twice', ['Team=a', 'team=b'], /"team=b" has a key that is there twice/],
  ['too many', Array.from({ length: 48 }, (_, index) => `k${index}=v`), /^48 tags .* room for 47 .*; leave some out$/],
]
for (const [what, given, why] of refused)
  test(`${what} is refused with the reason`, () => {
    const found = parseTags(given)
    assert.ok('wrong' in found)
    assert.match(found.wrong, why)
  })

test('what is at the limit is taken', () => {
  assert.ok('tags' in parseTags([`${'k'.repeat(128)}=${'v'.repeat(256)}`]))
  assert.ok('tags' in parseTags(Array.from({ length: 47 }, (_, index) => `k${index}=v`)))
})

test('every tag that is taken comes back as it was given', () => {
  const part = fc.string({ unit: fc.constantFrom('a', 'B', '1', ' ', '=', ':', '/', '@', 'é', '\t', 'aws:') })
  fc.assert(
    fc.property(fc.array(fc.tuple(part, part)), (pairs) => {
      const given = pairs.map(([key, value]) => `${key}=${value}`)
      const found = parseTags(given)
      if ('tags' in found)
        assert.deepEqual(
          Object.entries(found.tags)
            .map(([key, value]) => `${key}=${value}`)
            .sort(),
          given.sort(),
        )
    }),
  )
})
