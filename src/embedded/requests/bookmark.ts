import { isObject } from '../../core/schema/schema.ts'
import type { Served } from '../kinds/registry.ts'
import { emptyValue } from '../patch/empty-object.ts'

type Json = Record<string, unknown>

const noReplicas = { spec: { replicas: 0 } }

/** What Go writes of an empty structure besides, and the schema does not tell. */
const besides: Readonly<Record<string, Json>> = {
  'v1/Event': { firstTimestamp: null, lastTimestamp: null, eventTime: null },
  'events.k8s.io/v1/Event': { deprecatedFirstTimestamp: null, deprecatedLastTimestamp: null },
  'apps/v1/Deployment': noReplicas,
  'apps/v1/ReplicaSet': noReplicas,
  'rbac.authorization.k8s.io/v1/Role': { rules: null },
  'rbac.authorization.k8s.io/v1/ClusterRole': { rules: null },
  'apiextensions.k8s.io/v1/CustomResourceDefinition': { status: { conditions: null, storedVersions: null } },
}

/** The object of a bookmark: an empty one of the kind, with a revision. One of a custom kind is nothing but metadata. */
export function bookmarkObject(
  { kind, version, apiVersion }: Served,
  revision: number,
  endsInitialEvents: boolean,
): Json {
  const annotations = endsInitialEvents ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}
  const said = { metadata: { resourceVersion: String(revision), ...annotations } }
  const empty = kind.custom ? {} : together(emptyValue(version.schema), besides[`${apiVersion}/${kind.kind}`] ?? {})
  const { metadata, ...rest } = together(empty, said)
  return { kind: kind.kind, apiVersion, metadata, ...rest }
}

function together(one: Json, other: Json): Json {
  const both = { ...one }
  for (const [name, value] of Object.entries(other)) {
    const present = both[name]
    both[name] = isObject(present) && isObject(value) ? together(present, value) : value
  }
  return both
}
