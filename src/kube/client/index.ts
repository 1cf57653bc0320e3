/**
 * A thin client of any Kubernetes API over HTTP/2 (HTTP/1.1 where that is all a server speaks). From the outside in:
 * `client` and `collection` turn verbs into calls, `caller` paces, authenticates and repeats them, `endpoint` picks the
 * current TLS identity, `pool` and `lane` its connections, `http2-connection` and `http1-transport` carry the bytes.
 */
export type { ClientDeps, KubeClient } from './client.ts'
export { connect } from './client.ts'
export type { InProcessAnswer, InProcessRequest, InProcessServer, LineSink } from './in-process.ts'
export { kubeInProcess } from './in-process.ts'
export type { ClientOptions, RequestSample } from './options.ts'
