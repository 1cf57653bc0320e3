import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptNames, establishedBy, takenBy } from './accepted-names.ts'

const apple = { plural: 'apples', singular: 'apple', shortNames: ['ap'], kind: 'Apple', listKind: 'AppleList' }
const taken = takenBy([apple])

test('names that nobody has are accepted, and establish the kind', () => {
  const verdict = acceptNames(apple, { plural: '', kind: '' }, takenBy([]))
  assert.deepEqual(verdict.acceptedNames, apple)
  assert.deepEqual([verdict.namesAccepted.status, verdict.namesAccepted.reason], ['True', 'NoConflicts'])
  assert.equal(establishedBy(verdict).status, 'True')
})

test('what is to be had is accepted beside what is not, and the last conflict is told', () => {
  const verdict = acceptNames(
    { plural: 'pears', singular: 'apple', kind: 'Apple', listKind: 'AppleList' },
    undefined,
    taken,
  )
  assert.deepEqual(verdict.acceptedNames, { plural: 'pears', kind: '' })
  assert.deepEqual(verdict.namesAccepted, {
    type: 'NamesAccepted',
    status: 'False',
    reason: 'ListKindConflict',
    message: '"AppleList" is already in use',
  })
  assert.deepEqual(establishedBy(verdict), {
    type: 'Established',
    status: 'False',
    reason: 'NotAccepted',
    message: 'not all names are accepted',
  })
})

test('short names are accepted together or not at all, and those from before stay', () => {
  const asked = {
    plural: 'pears',
    singular: 'pear',
    kind: 'Pear',
    listKind: 'PearList',
    shortNames: ['pe', 'ap', 'apple'],
  }
  const { acceptedNames, namesAccepted } = acceptNames(asked, { ...asked, shortNames: ['pe'] }, taken)
  assert.deepEqual(acceptedNames.shortNames, ['pe'])
  assert.equal(namesAccepted.message, '["ap" is already in use, "apple" is already in use]')
})

test('categories need no permission', () => {
  const asked = { plural: 'pears', singular: 'pear', kind: 'Pear', listKind: 'PearList', categories: ['all'] }
  assert.deepEqual(acceptNames(asked, undefined, taken).acceptedNames.categories, ['all'])
  assert.equal('categories' in acceptNames({ ...asked, categories: [] }, asked, taken).acceptedNames, false)
})
