import type { Difference } from './compare.ts'
import type { Request } from './request.ts'

/** A difference that stays, and why it may. docs/embedded-differences.md is this list. */
export interface KnownDifference {
  readonly what: string
  readonly why: string
  explains(difference: Difference, request: Request): boolean
}

type Explains = KnownDifference['explains']

/** Two texts that are the same once a part of each is rewritten. */
const isTextBut =
  (rewrite: (text: string) => string): Explains =>
  ({ embedded, real }) =>
    typeof embedded === 'string' &&
    typeof real === 'string' &&
    rewrite(embedded).replace(uids, '') === rewrite(real).replace(uids, '')

const uids = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g

const protobuf = /, application\/vnd\.kubernetes\.protobuf(;stream=watch)?/g

/** The object that a patch made, as Go quotes it. */
const patched = /Invalid value: "\{.*\}"/s

const allowing = /^RBAC: allowed by .*/s

/** The same of what a patch made. */
const undecodedPatch = /Invalid value: "\{.*\}": (?:json: cannot unmarshal|quantities must match|parsing time) .*$/s
const isDecoding = /^\w+ in version "\w+" cannot be handled as a \w+: .*$/s

/** What follows is the difference of two specs, as Go prints them. */
const tokenVolume = /kube-api-access-\w{5}/g
const podDifference = /(it was previously negative\)).*/s

const templateGeneration = 'deprecated.daemonset.template.generation'

export const knownDifferences: readonly KnownDifference[] = [
  {
    what: 'a token that is asked for in a namespace that is not there: the account is missing, not the namespace',
    why: 'both are a 404, and the account is what was asked for',
    explains: (_, { path }) => path.includes('/nowhere/') && path.endsWith('/token'),
  },
  {
    what: `the annotation ${templateGeneration} stands in tables and metadata, and not in bookmarks`,
    why: 'the real server makes it up whenever it writes a whole DaemonSet; it is deprecated',
    explains: ({ where, embedded, real }, { path }) =>
      path.includes('/daemonsets') && JSON.stringify([where, embedded, real]).includes(templateGeneration),
  },
  {
    what: 'an object that says to be of another kind is refused by a custom kind at once, with nothing but that',
    why: 'the real server first looks whether there is such an object and in which version, and runs the rules on it too; it refuses it all the same',
    explains: ({ where, real }, { path, method, body }) =>
      path.includes('example.com/') &&
      ['POST', 'PUT'].includes(method) &&
      (body as { kind?: unknown } | undefined)?.kind === 'Other' &&
      (where === 'code' ? Number(real) >= 400 : where.startsWith('body.')),
  },
  {
    what: 'a custom object without a kind is refused in other words when fields are not validated',
    why: 'both are a 400 that says which field is missing',
    explains: ({ embedded, real }) =>
      [embedded, real].every((text) => `${text}`.includes("Object 'Kind' is missing in")),
  },
  {
    what: 'a dry run of a creation shows no resourceVersion',
    why: 'the real server shows back what the client sent; nothing has that version',
    explains: ({ where, embedded }, { query = {} }) =>
      'dryRun' in query && where.endsWith('metadata.resourceVersion') && embedded === undefined,
  },
  {
    what: 'the last page of a list of a custom kind has no `continue`, where the real server has an empty one',
    why: 'both mean that there is no further page, and every client reads them so',
    explains: ({ where, embedded, real }) =>
      where.endsWith('metadata.continue') && embedded === undefined && real === '',
  },
  {
    what: 'the refusal of an update of a Pod does not show which fields of its spec differ',
    why: "the real server prints the difference of its own Go structures, which is an aid for people and nobody's contract",
    explains: isTextBut((text) => text.replace(podDifference, '$1').replace(tokenVolume, '')),
  },
  {
    what: 'of several values that cannot be decoded, another one is named',
    why: 'Go goes on after a value of the wrong type and stops at a time or a quantity that it cannot read; here the first is named',
    explains: isTextBut((text) => text.replace(isDecoding, '').replace(undecodedPatch, '')),
  },
  {
    what: 'managedFields of an Event that was written through both of its groups',
    why: 'the real server drops entries of the other group in some of these cases; nobody applies events',
    explains: ({ where }, { path }) => where.includes('managedFields') && path.includes('/events'),
  },
  {
    what: 'a Service that has become an ExternalName has no internalTrafficPolicy',
    why: 'the real server keeps it, hides it from most reads and not from its status or its deletion, and knows its owners',
    explains: ({ where, embedded, real }, { path }) =>
      path.includes('/services') &&
      /internalTrafficPolicy$/.test(where) &&
      (where.includes('managedFields') || (embedded === undefined && real !== undefined)),
  },
  {
    what: 'where several bindings allow something, another one of them is named',
    why: 'the real server keeps its bindings in a map, whose order Go draws anew each time; here it is the first that is found',
    explains: ({ where, ...texts }, request) =>
      where === 'body.status.reason' && isTextBut((text) => text.replace(allowing, ''))({ where, ...texts }, request),
  },
  {
    what: 'the list of media types in a 406 leaves out protobuf',
    why: 'answers are never protobuf, and clients that accept it accept JSON too',
    explains: isTextBut((text) => text.replace(protobuf, '')),
  },
  {
    what: 'the object in the message of a 422 about a patch has its keys in another order',
    why: 'the real server shows those parts that the patch did not touch as they were stored; the same object is meant',
    explains: isTextBut((text) => text.replace(patched, '')),
  },
]
