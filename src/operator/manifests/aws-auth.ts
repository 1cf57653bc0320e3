/** What the operator needs for a hub that clusters join by AWS IAM. */
import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import type { Manifest } from '../../fleet/manifests/manifest.ts'
import { rule } from '../../fleet/manifests/rbac.ts'
import { awsAuthConfigMap, hubAwsRbacManifests } from '../../registration/manifests/hub-aws.ts'
import { keepNamed } from './rules.ts'

const rbacGroup = 'rbac.authorization.k8s.io'

/** Whoever may write that ConfigMap may make anybody an administrator of an EKS cluster. */
export const isAwsAuthRole = ({ object: { kind, metadata } }: Manifest): boolean =>
  kind === 'Role' && metadata.namespace === awsAuthConfigMap.namespace

export const isAwsAuthBinding = ({ resource, namespace }: { resource: string; namespace?: string }): boolean =>
  resource === 'rolebindings' && namespace === awsAuthConfigMap.namespace

/** It comes with the operator, and is bound to nobody until a ClusterManager asks for awsirsa. */
export const awsAuthRoles = (): Manifest[] => hubAwsRbacManifests({ namespace: '', name: '' }).filter(isAwsAuthRole)

/** In the namespace of that ConfigMap: to bind the role, and nothing of what is in it. */
export const awsAuthRules = (): PolicyRule[] => {
  const names = awsAuthRoles().map(({ object }) => object.metadata.name)
  return [rule(rbacGroup, ['roles'], ['bind'], names), keepNamed(rbacGroup, 'rolebindings', names)]
}
