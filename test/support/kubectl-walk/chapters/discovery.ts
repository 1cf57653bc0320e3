import type { Chapter } from '../step.ts'
import { widgets } from './manifests.ts'

/** What is served, and in which words it is explained. */
export const apiResources: Chapter = {
  title: 'api-resources',
  steps: [
    'api-resources',
    'api-resources -o wide',
    'api-resources -o name',
    'api-resources --namespaced=true',
    'api-resources --namespaced=false',
    'api-resources --api-group=apps',
    'api-resources --api-group=none.example.com',
    'api-resources --verbs=deletecollection,watch',
    'api-resources --categories=all',
    'api-resources --no-headers --sort-by=kind --api-group=rbac.authorization.k8s.io',
    'api-versions',
    'version',
    'version -o yaml',
    'cluster-info',
    'get --raw /api',
    'get --raw /apis/apps',
    'get --raw /apis/coordination.k8s.io/v1',
    'get --raw /apis/apps/v2',
    'get --raw /nothing',
    'get --raw /version',
    'get --raw /healthz',
    'get --raw /livez',
    'get --raw /readyz/nothing',
  ],
}

export const explain: Chapter = {
  title: 'explain',
  files: { 'widgets.yaml': widgets('explain') },
  steps: [
    'explain pods',
    'explain pod.spec.containers.resources',
    'explain deployment.spec.strategy --recursive',
    'explain deployment.spec.template.spec.affinity',
    'explain secret.data',
    'explain namespaces.metadata.labels',
    'explain events.series',
    'explain events --api-version=events.k8s.io/v1',
    'explain crd.spec.versions.schema',
    'explain crd.spec.versions.schema.openAPIV3Schema',
    'explain configmaps --output=plaintext-openapiv2',
    'explain pods.spec.nothing',
    'explain nothings',
    'explain pods --api-version=nothing/v1',
    'create -f widgets.yaml',
    { settle: 'wait --for=condition=Established crd/widgets.explain$v.example.com' },
    'explain widgets.explain$v.example.com.nothing',
    // Its schema is published a moment after it is served.
    { settle: 'explain widgets --api-version=explain$v.example.com/v1' },
    'explain widgets --api-version=explain$v.example.com/v1',
    'explain widgets.spec --recursive --api-version=explain$v.example.com/v1',
    'explain widgets.spec.look.colour --api-version=explain$v.example.com/v1',
  ],
}
