/** All that our programs use of the Kubernetes runtime. client-node has no election; ours is counted in. */
export { connect } from '../../../src/kube/client/index.ts'
export { leading } from '../../../src/kube/election.ts'
export { informer } from '../../../src/kube/informer.ts'
export * from '../../../src/kube/kinds.ts'
export { loadConnection } from '../../../src/kube/kubeconfig/index.ts'
