import type { DemoPerson } from '../demo/identity-provider/index.ts'

/** Who has an account at the identity provider of our own clusters. */
export const people = {
  alice: { username: 'alice', email: 'alice@example.com', name: 'Alice', groups: ['developers'] },
  bob: { username: 'bob', email: 'bob@example.com', name: 'Bob', groups: ['leads'] },
  carol: { username: 'carol', email: 'carol@example.com', name: 'Carol', groups: [] },
} as const satisfies Record<string, DemoPerson>

export type PersonName = keyof typeof people
export const personNames = Object.keys(people) as PersonName[]

/** The client that they log in by. */
export const peopleClientId = 'lanyard-people'
