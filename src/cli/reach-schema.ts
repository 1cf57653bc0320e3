import type { Static } from 'typebox'
import * as Type from 'typebox'
import { reloads } from '../core/config.ts'

const seconds = (byDefault: number, description: string) =>
  Type.Number({ default: byDefault, minimum: 1, ...reloads, description })
const count = (byDefault: number, description: string) =>
  Type.Integer({ default: byDefault, minimum: 1, ...reloads, description })

const breaker = Type.Object(
  {
    enabled: Type.Boolean({
      default: true,
      ...reloads,
      description: 'Whether a cluster that fails again and again is left alone for a while.',
    }),
    failures: count(3, 'Calls in a row that must fail before it is.'),
    openSeconds: seconds(30, 'How long it is.'),
  },
  { default: {}, description: 'What becomes of a cluster that does not answer.' },
)

const networks = (description: string) =>
  Type.Array(Type.String({ format: 'cidr', description: 'One network: 10.0.0.0/8, fd00::/8.' }), {
    default: [],
    ...reloads,
    description,
  })

const egress = Type.Object(
  {
    allowed: networks(
      'Networks to connect to. Where any is named, only those. The longest network that holds an address decides.',
    ),
    denied: networks(
      'Networks not to connect to. For a hub in a pod what is local to the pod comes with them (loopback, link-local, metadata of clouds), unless that very network or a longer one is allowed.',
    ),
  },
  {
    default: {},
    description:
      'Where the hub connects to when users name the address: servers and proxies of clusters, identity providers, sinks of the audit, mail servers.',
  },
)

/** The section `reach` of lanyard.yaml. All of it is read again when it changes. */
export const reachSchema = Type.Object(
  {
    trustOnFirstUse: Type.Boolean({
      default: true,
      ...reloads,
      description: 'Whether a CA nobody vouches for is trusted when first seen, where a ClusterConfig does not say.',
    }),
    rewriteLoopback: Type.Optional(
      Type.Boolean({
        ...reloads,
        description:
          'Whether a hub in a pod takes a loopback address in a ClusterConfig for its own cluster. Absent: yes, unless BREAKGLASS_DISABLE_LOOPBACK_REWRITE is true.',
      }),
    ),
    egress,
    checkInterval: seconds(600, 'Seconds between two checks of a cluster that nothing happened to.'),
    checkDeadline: seconds(15, 'Seconds that one check may take.'),
    qps: count(50, 'Calls a second to a cluster, where its ClusterConfig does not say.'),
    burst: count(100, 'Calls at once after a pause, where its ClusterConfig does not say.'),
    breaker,
  },
  { default: {}, description: 'The way of the hub into its clusters.' },
)

export type ReachConfig = Static<typeof reachSchema>
