import type { KnownDifference } from './known.ts'

/** docs/embedded-differences.md, which is nothing but the list of known differences. */
export const differencesPage = (
  known: readonly KnownDifference[],
): string => `# Where the embedded control plane differs

Thousands of random requests are sent to the embedded control plane and to a real kube-apiserver v1.36, one after the
other in the same order, and the answers are compared: status codes, content types, warnings, bodies and the events of
watches. Uids, times and revisions are compared by what they stand for. \`npm run test:peers -- differential\` does it;
this replays one run, or the story of one object in it, and tells where the answers part:

\`\`\`sh
LANYARD_SEED=7 LANYARD_REQUESTS=5000 node test/support/differential/main.ts
LANYARD_SEED=7 LANYARD_ONLY=red/configmaps/a node test/support/differential/main.ts
\`\`\`

Controllers are off on both sides: what they write comes in its own time, so that two runs of the same server would
differ. These differences remain; those that are there on purpose are in [embedded.md](embedded.md).

| what | why |
|---|---|
${rows([...known, ...notSent])}

## Found by other seeds, and not mended yet
| what | seed, request |
|---|---|
${rows(open)}
`

const rows = (all: readonly Pick<KnownDifference, 'what' | 'why'>[]): string =>
  all.map(({ what, why }) => `| ${cell(what)} | ${cell(why)} |`).join('\n')

/** With where they were seen. Each is a defect of the embedded one until it is known to be none. */
const open: readonly Pick<KnownDifference, 'what' | 'why'>[] = [
  {
    what: 'a list of one name, with a limit, as of an earlier revision shows an object that the real one does not',
    why: '81, #2881',
  },
  {
    what: 'the answer to the deletion of a Pod with the finalizer `orphan` and the policy Background leaves that out',
    why: '82, #4474',
  },
  {
    what: 'a merge patch of an Event that changes nothing has a revision of its own on the real one',
    why: '82, #4480',
  },
]

/** Known without being met: the generator stays away from them. */
const notSent: readonly Pick<KnownDifference, 'what' | 'why'>[] = [
  {
    what: 'a label selector or a field selector of more than 64 KiB is a 400, and so is a query of more than 1,000 parameters',
    why: 'the real server takes what headers can hold, and spends tens of milliseconds on each; here nothing else would be done meanwhile',
  },
  {
    what: 'a selector of more than 8 KiB is not put to the webhooks that authorize, which are asked about all objects then',
    why: 'the real server makes sixteen times its length of it; here nothing else would be done meanwhile, and the deadline of the webhook would pass',
  },
  {
    what: 'a regular expression of more than 50,000 states is refused in a schema, a rule or a condition',
    why: 'the real server takes some sixty times as many, and matches them while it serves others',
  },
  {
    what: 'an object whose texts would take the patterns of its schema more than 10 million steps is a 422, and a condition of a webhook that would take more than 20 million steps is a 503',
    why: 'the real server does it, however long it takes',
  },
  {
    what: 'a body that comes slower than 16 KiB a second is a 408 after five seconds',
    why: 'the real server waits a minute, and one client can hold all places meanwhile',
  },
  {
    what: 'a request that webhooks have not decided about within a minute, or whose webhooks could not be asked because this server is overloaded or being stopped, is a 503',
    why: 'the real server takes what it could not ask for no opinion, asks the next authorizer, and answers 504 by another way',
  },
  {
    what: 'a headless Service without a selector, which has both address families, may be given one',
    why: 'the real server refuses that where it has one family only',
  },
  {
    what: 'pods with affinity, security contexts and most volumes',
    why: 'they are stored without being checked; the real server checks them whole',
  },
  {
    what: 'services of type ClusterIP, NodePort and LoadBalancer without an address',
    why: 'none is allotted here; the real server allots one',
  },
  {
    what: 'Endpoints with the name of a Service stay when that Service is deleted',
    why: 'the real server deletes them with it',
  },
  {
    what: 'an Event that is written through both of its groups by turns keeps all its managedFields',
    why: 'the real server drops those of the other group in some cases; nobody applies events',
  },
  {
    what: 'changes of CustomResourceDefinitions in place name their flaws in another order',
    why: 'the flaws are the same',
  },
  {
    what: 'after a write to the scale of something with the ports 80 and 443, a write that changes nothing is none',
    why: 'the real server puts ports in the order of numbers after the one and of texts after the other, and takes that for a change',
  },
  {
    what: 'a custom object that was applied with empty labels or finalizers: a write that changes nothing is none',
    why: 'the real server keeps them without showing them, and drops them with the next write, which has a revision',
  },
  {
    what: 'a list in place of a string with a format is refused by a custom kind',
    why: 'the real server stores it; its own schema says otherwise',
  },
  {
    what: 'a CustomResourceDefinition with fields to select by and a schema that is not structural is refused',
    why: 'the real server panics over it and hangs up',
  },
]

const cell = (text: string): string => text.replaceAll('|', '\\|')
