/**
 * AWS keeps the unique id of a role or user that a trust policy names, and shows its ARN for as long as it is there.
 * So a role that was deleted shows as `AROA…`, and one made anew under its name is somebody else.
 */
import type { Json, Principal, TrustDocument } from './policy-document.ts'
import { isObject, trustPolicy } from './policy-document.ts'
import { refuse } from './refusals.ts'
import type { World } from './state.ts'
import { lookFor, rolesOf } from './state.ts'

const federated = /^(arn:[^:]+:iam::\d{12}:(oidc-provider|saml-provider)\/.+|[\w.-]+\.[a-z]+)$/
const service = /^[\w-]+(\.[\w-]+)*\.amazonaws\.com(\.cn)?$/

/** Reads a trust policy that is to be stored; its principals have to exist. */
export function trustToStore(world: World, text: string): TrustDocument {
  const document = trustPolicy(text)
  const statements = document.statements.map((statement) => ({
    ...statement,
    principals: statement.principals.map(({ kind, value }) => ({ kind, value: stored(world, { kind, value }) })),
  }))
  return { ...document, statements }
}

function stored(world: World, { kind, value }: Principal): string {
  const invalid = () => refuse('PRINCIPAL_INVALID', { kind, principal: value })
  if (kind !== 'AWS') return (kind === 'Federated' ? federated : service).test(value) ? value : invalid()
  if (value === '*') return value
  const [, account] = /^(?:arn:[^:]+:iam::)?(\d{12})(?::root)?$/.exec(value) ?? []
  if (account !== undefined) return rootOf(world, account) ?? invalid()
  const named =
    lookFor(world, value, 'trust') ??
    entities(world).find(({ id, arn, isRole }) => id === value || (!isRole && arn === value))
  return named?.id ?? invalid()
}

function rootOf({ accounts }: World, id: string): string | undefined {
  const account = accounts.get(id)
  return account && `arn:${account.partition}:iam::${id}:root`
}

/** A trust policy as GetRole shows it. A list of one principal shows without its brackets. */
export function shownTrust(world: World, { source, statements }: TrustDocument): Json {
  const shown = (value: string) => entities(world).find(({ id }) => id === value)?.arn ?? value
  return {
    ...source,
    Statement: source.Statement.map((json, index) => {
      if (!isObject(json['Principal'])) return json
      const grouped = Object.groupBy(statements[index]?.principals ?? [], ({ kind }) => kind)
      const Principal = Object.entries(grouped).map(([kind, all]) => {
        const values = all.map(({ value }) => shown(value))
        return [kind, values.length === 1 ? values[0] : values]
      })
      return { ...json, Principal: Object.fromEntries(Principal) }
    }),
  }
}

const entities = (world: World): { id: string; arn: string; isRole: boolean }[] => [
  ...rolesOf(world).map(({ id, arn }) => ({ id, arn, isRole: true })),
  ...[...world.accounts.values()].flatMap(({ users }) =>
    [...users.values()].map(({ id, arn }) => ({ id, arn, isRole: false })),
  ),
]
