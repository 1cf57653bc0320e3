import { clusterRoleBindings, clusterRoles, roleBindings, roles, serviceAccounts } from './access.ts'
import { leases, namespaces, nodes, signingRequests } from './cluster.ts'
import { gadgets, widgets, widgetsOfV2 } from './custom.ts'
import { configMaps, secrets } from './data.ts'
import { customResourceDefinitions } from './definitions.ts'
import { doodads, doodadsOfV2 } from './diverged.ts'
import { coreEvents, newEvents } from './events.ts'
import type { KindUnderTest } from './kind.ts'
import { endpoints, mutatingConfigurations, services, validatingConfigurations } from './network.ts'
import { gizmos } from './ruled.ts'
import { daemonSets, deployments, pods, replicaSets } from './workloads.ts'

/** For CN=sample, with a key that nobody has kept. */
const pem = `-----BEGIN CERTIFICATE REQUEST-----
MIHLMHMCAQAwETEPMA0GA1UEAwwGc2FtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAEdveh3YeHN0HEi0hsF+5WFL5JgYQjSTlreAgGpgIPUBuiR9WxxUkN7N/2
IFVay71fO8K+bznhGXq1pX23/6X+7aAAMAoGCCqGSM49BAMCA0gAMEUCIQD8Xtrs
7DgD6uY/bKgh0Z5gAWE8X/IF8wTK/OCSgE2ipwIgATY1SgS+4FUPaKH4SPp6nGXd
xofHnmJGaRxfEw9/qoo=
-----END CERTIFICATE REQUEST-----
`

export const kinds: readonly KindUnderTest[] = [
  configMaps,
  secrets,
  namespaces,
  serviceAccounts,
  roles,
  clusterRoles,
  roleBindings,
  clusterRoleBindings,
  leases,
  signingRequests(pem),
  coreEvents,
  newEvents,
  nodes,
  pods,
  services,
  endpoints,
  deployments,
  daemonSets,
  replicaSets,
  validatingConfigurations,
  mutatingConfigurations,
  customResourceDefinitions,
  widgets,
  widgetsOfV2,
  gadgets,
  gizmos,
  doodads,
  doodadsOfV2,
]
