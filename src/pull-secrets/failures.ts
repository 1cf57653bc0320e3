import { catalogue } from '../core/failure.ts'

/** Each has its problem code on the wire in `api/problems.ts`. Sentences never repeat what a registry said. */
export const failures = catalogue({
  REGISTRY_NAME_TAKEN: [
    409,
    'registry {registry} has an account of the name {name} that is not ours; ask its owner to remove it',
  ],
  REGISTRY_UNCERTAIN: [
    504,
    'registry {registry} did not say whether it did what it was asked to ({detail}); try again',
  ],
  REGISTRY_UNAVAILABLE: [
    503,
    'registry {registry} cannot be used at present ({detail}); try again in {retryAfterSeconds} s',
  ],
  REGISTRY_UNAUTHORIZED: [
    502,
    'registry {registry} refuses our own credentials; renew what its entry in the configuration names',
  ],
  REGISTRY_REFUSED: [502, 'registry {registry} refuses this ({detail}); look into the log'],
  PULL_NAME_IMPOSSIBLE: [400, '{field} makes no legal account name at registry {registry}: {detail}'],
  PULL_UNSAFE_NAME: [
    500,
    'the stored name of credential {credential} is not fit for a path; a person has to remove its account',
  ],
  PULL_TOKEN_UNREADABLE: [500, 'the token of credential {credential} cannot be decrypted; check the key ring'],
  PULL_KEY_MISSING: [503, 'the key ring lacks {keys}, by which stored tokens are sealed; put it back'],
  PULL_KEY_IN_USE: [409, 'key {key} still seals {count} tokens; let re-encryption end first'],
  PULL_KEY_RECENT: [
    409,
    'key {key} was in use until a moment ago, and a process may still seal with it; try again in {minutes} min',
  ],
  PULL_KEY_UNKNOWN: [404, 'there is no key {key}'],
  PULL_KEY_ACTIVE: [409, 'key {key} is the active one; make another one active first'],
  PULL_KEY_RING_WRONG: [400, 'the key ring {file} cannot be used: {detail}; correct it'],
  PULL_BUSY: [503, 'cluster {cluster} is being worked on; try again in {retryAfterSeconds} s'],
  PULL_DATABASE_AWAY: [503, 'the database cannot be used at present; try again in {retryAfterSeconds} s'],
  PULL_LISTS_BUSY: [503, 'too many lists are being read; try again in {retryAfterSeconds} s'],
  PULL_SUSPENDED: [409, 'cluster {cluster} is suspended; resume it first'],
  PULL_DELETING: [409, 'the pull secret of cluster {cluster} is being deleted; try again once it is gone'],
  PULL_NO_SECRET: [404, 'cluster {cluster} has no pull secret; POST makes one'],
  PULL_NO_CLUSTER: [404, 'cluster {cluster} is not known here'],
  PULL_NO_ROTATION: [404, 'cluster {cluster} has no rotation {rotation}'],
  PULL_ROTATION_OPEN: [409, 'cluster {cluster} has an open rotation, {rotation}; wait for it, or confirm or cancel it'],
  PULL_ROTATION_WRONG_PHASE: [409, 'rotation {rotation} is {status}; it cannot be {wanted} any more'],
  PULL_NO_REGISTRY: [404, 'there is no registry {registry}'],
  PULL_STATIC_KEY: [
    400,
    '{field} of {entry} is a long-lived key of a cloud; give the process an identity of its own there, or set allowStaticKeys',
  ],
  PULL_NOT_OWNER: [
    403,
    "cluster {cluster} is not the caller's; ask its owner, or somebody who may work on all clusters",
  ],
  PULL_ACCESS_AWAY: [503, 'nobody says at present whose the cluster is; try again in {retryAfterSeconds} s'],
  PULL_BAD_CLUSTER_ID: [
    400,
    'the cluster id in the path must be 1 to 253 letters, digits, dots, underscores and hyphens',
  ],
  PULL_INPUT: [400, '{count} fields are wrong: {fields}'],
  EVENT_MALFORMED: [400, 'the event cannot be understood ({detail}); correct its sender'],
  EVENT_UNPUBLISHED: [503, 'publisher {publisher} did not take the event ({detail}); it is tried again'],
  STATUS_UNSENT: [503, 'the HyperFleet API did not take a report ({detail}); it is tried again'],
  STATUS_REFUSED: [502, 'the HyperFleet API refuses a report ({detail}); look whether it knows the cluster'],
  SINK_CONFIG: [400, 'sink {sink} cannot be used as it is configured: {detail}'],
  SINK_UNAVAILABLE: [503, 'sink {sink} cannot be used at present ({detail}); it is tried again'],
  SINK_REFUSED: [502, 'sink {sink} refuses this ({detail}); check what our identity may do there'],
  SINK_FOREIGN: [409, '{what} in sink {sink} is not ours; remove it, or let the sink use another place'],
  POSTGRES_UNSUPPORTED: [
    500,
    'there is no embedded PostgreSQL for {platform}, or npm left it out (--omit=optional); set databaseUrlFile to one of yours',
  ],
  POSTGRES_UNLINKED: [
    500,
    'the PostgreSQL that npm installed in {folder} lacks links between its libraries, and they cannot be made there ({detail}); let a user who may write that folder run `npm rebuild {package} --ignore-scripts=false`, or set databaseUrlFile',
  ],
  POSTGRES_NO_USER: [
    500,
    'PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody; start as another user, or set databaseUrlFile',
  ],
  POSTGRES_BLOCKED: [
    500,
    'PostgreSQL runs as user {user}, who may not enter {folder}; choose another data folder, or let others pass through it (chmod o+x)',
  ],
  POSTGRES_INIT_FAILED: [500, 'a database could not be made in {folder} ({detail}); look into {file}'],
  POSTGRES_VERSION: [
    500,
    'the database in {folder} was made by PostgreSQL {found} and this is {ours}; bring it over with pg_upgrade or a dump',
  ],
  POSTGRES_RUNNING: [
    409,
    'the database in {folder} runs already, as process {pid}; stop the service that started it first',
  ],
  POSTGRES_STUCK: [500, 'PostgreSQL, process {pid}, does not end; end it by hand'],
  POSTGRES_ENDED: [500, 'PostgreSQL ended by itself ({detail}); look into {file}'],
})
