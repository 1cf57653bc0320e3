import { defined } from '../../kube/kubeconfig/defined.ts'
import type { ObjectMeta } from '../../kube/objects.ts'
import { apiVersionOf } from '../../kube/objects.ts'
import { namespaceName } from '../fields.ts'
import { newReferences, oldReferences, onlyInOldReferences } from './config-references.ts'
import type { ManagedClusterAddOnV1Alpha1 } from './managed-cluster-addon.ts'
import { ManagedClusterAddOn } from './managed-cluster-addon.ts'
import { newRegistrations, oldRegistrations, onlyInNew, onlyInOld } from './registrations.ts'
import { betweenTwo } from './two-versions.ts'
import type { OnlyInV1Alpha1 } from './unfitting.ts'
import { onlyInV1Alpha1, onlyInV1Beta1 } from './unfitting.ts'

type Old = ManagedClusterAddOnV1Alpha1
type New = ManagedClusterAddOn
type Annotations = Record<string, string>

const v1alpha1 = apiVersionOf(ManagedClusterAddOn.versions.v1alpha1)
const v1beta1 = apiVersionOf(ManagedClusterAddOn.versions.v1beta1)

/** Where the field keeps spec.installNamespace in v1beta1, which has no such field. */
export const installNamespaceAnnotation = 'addon.open-cluster-management.io/v1alpha1-install-namespace'

/** Edits made in the other version meanwhile win over what was kept of the former one. */
export const managedClusterAddOnConversion = betweenTwo<Old, New>(ManagedClusterAddOn, { toV1Beta1, toV1Alpha1 })

function toV1Beta1({ metadata, spec, status, ...rest }: Old): New {
  const annotations = withoutUnfitting(metadata)
  const { installNamespace, ...newSpec } = spec ?? {}
  const named = annotations[installNamespaceAnnotation]
  const made = status && newStatus(status, metadata?.annotations ?? {})
  const kept = defined({
    installNamespace: installNamespaceKept(installNamespace, named),
    ...(made && onlyInOld(status, made)),
    configReferences: onlyInOldReferences(status?.configReferences, made?.configReferences),
    addOnConfiguration: status?.addOnConfiguration,
  })
  const more = { ...defined({ [installNamespaceAnnotation]: installNamespace }), ...onlyInV1Alpha1.write(kept) }
  return defined({
    ...rest,
    apiVersion: v1beta1,
    metadata: metadata && withAnnotations(metadata, { ...annotations, ...more }),
    spec: spec && newSpec,
    status: made,
  }) as New
}

function newStatus(status: NonNullable<Old['status']>, annotations: Annotations): NonNullable<New['status']> {
  const { registrations, kubeClientDriver, configReferences, addOnConfiguration: _, ...same } = status
  return defined({
    ...same,
    ...newRegistrations(defined({ registrations, kubeClientDriver }), onlyInV1Beta1.read(annotations)),
    configReferences: newReferences(configReferences),
  })
}

function toV1Alpha1({ metadata, spec, status, ...rest }: New): Old {
  const { [installNamespaceAnnotation]: named, ...annotations } = withoutUnfitting(metadata)
  const kept = onlyInV1Alpha1.read(metadata?.annotations ?? {})
  const { field, annotation } = spec ? installNamespaceOf(named, kept.installNamespace) : { annotation: named }
  const made = status && oldStatus(status, kept)
  const more = {
    ...defined({ [installNamespaceAnnotation]: annotation }),
    ...(made && onlyInV1Beta1.write(onlyInNew(status, made))),
  }
  return defined({
    ...rest,
    apiVersion: v1alpha1,
    metadata: metadata && withAnnotations(metadata, { ...annotations, ...more }),
    spec: spec && defined({ ...spec, installNamespace: field }),
    status: made,
  }) as Old
}

function oldStatus(status: NonNullable<New['status']>, kept: OnlyInV1Alpha1): NonNullable<Old['status']> {
  const { registrations, configReferences, ...same } = status
  return defined({
    ...same,
    ...oldRegistrations(defined({ registrations }), kept),
    configReferences: oldReferences(configReferences, kept.configReferences),
    addOnConfiguration: kept.addOnConfiguration,
  })
}

const namespacePattern = new RegExp(namespaceName)
const isNamespaceName = (name: string) => name.length <= 63 && namespacePattern.test(name)

/** The annotation of v1beta1 is the field of v1alpha1, if it could be. */
function installNamespaceOf(named: string | undefined, kept: OnlyInV1Alpha1['installNamespace']) {
  if (named === undefined) return {}
  const isAnnotation = !isNamespaceName(named) || (kept?.fieldless && kept.annotation === named)
  if (isAnnotation) return { annotation: named }
  return { field: named, annotation: kept?.fieldless ? undefined : kept?.annotation }
}

/** For an object of v1alpha1 that has the annotation of v1beta1 as well. */
function installNamespaceKept(field: string | undefined, annotation: string | undefined) {
  if (annotation === undefined || (field === undefined && !isNamespaceName(annotation))) return undefined
  return field === undefined ? { annotation, fieldless: true } : { annotation }
}

/** Neither form has a use for the annotation of the other: left in place, it would be believed later. */
function withoutUnfitting(metadata: ObjectMeta | undefined): Annotations {
  const { [onlyInV1Alpha1.annotation]: _, [onlyInV1Beta1.annotation]: __, ...annotations } = metadata?.annotations ?? {}
  return annotations
}

/** Without any annotation the field is absent, as the API server has it; nothing else of the metadata changes. */
function withAnnotations({ annotations: _, ...metadata }: ObjectMeta, annotations: Annotations): ObjectMeta {
  return Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations }
}
