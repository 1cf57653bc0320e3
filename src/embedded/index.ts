/**
 * The embedded control plane: a Kubernetes API from one process and one folder. From the outside in: `serving/` speaks
 * HTTP and asks `authentication/` and `authorization/` who may do what; `requests/` answers, by the rules of `kinds/`
 * and `crds/`, through `admission/` and `patch/`; `storage/` keeps, `watch/` tells; `controllers/` tidy up; `care/` is for
 * backups and repairs.
 */
export { failures as embeddedFailures } from './failures.ts'
export type { Embedded, EmbeddedOptions } from './start.ts'
export { startEmbedded } from './start.ts'
