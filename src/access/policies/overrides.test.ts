import assert from 'node:assert/strict'
import { test } from 'node:test'
import { overridesInForce } from './overrides.ts'

const members = (group: string) => (group === 'security' ? ['Ann@example.com'] : [])
const holds = (podSecurityOverrides: object | undefined, approvedBy: string[]) =>
  overridesInForce(podSecurityOverrides ? { podSecurityOverrides } : {}, approvedBy, members) !== undefined

test('overrides hold where they are enabled', () => {
  assert.equal(holds(undefined, ['ann@example.com']), false)
  assert.equal(holds({}, ['ann@example.com']), false)
  assert.equal(holds({ enabled: true }, []), true)
})

test('those that need agreement hold once somebody agreed who may', () => {
  const needed = { enabled: true, requireApproval: true }
  assert.equal(holds(needed, []), false)
  assert.equal(holds(needed, ['anybody@example.com']), true)
  const byThem = { ...needed, approvers: { users: ['bob@example.com'], groups: ['security'] } }
  assert.equal(holds(byThem, ['anybody@example.com']), false)
  assert.equal(holds(byThem, ['Bob@example.com']), true)
  assert.equal(holds(byThem, ['ann@example.com']), true)
})
