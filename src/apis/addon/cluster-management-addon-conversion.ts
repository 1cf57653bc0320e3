import type { Static } from 'typebox'
import * as Type from 'typebox'
import { mostLevels, nestsDeeper } from '../../core/json-depth.ts'
import { ownDomain } from '../../core/own-domain.ts'
import { problemsOf } from '../../core/schema/check.ts'
import { prune } from '../../core/schema/prune.ts'
import { structural } from '../../core/schema/structural.ts'
import { defined } from '../../kube/kubeconfig/defined.ts'
import type { ObjectMeta } from '../../kube/objects.ts'
import { apiVersionOf } from '../../kube/objects.ts'
import type { ClusterManagementAddOnV1Alpha1 } from './cluster-management-addon.ts'
import { AddOnConfiguration, ClusterManagementAddOn } from './cluster-management-addon.ts'
import { betweenTwo } from './two-versions.ts'

type Old = ClusterManagementAddOnV1Alpha1
type New = ClusterManagementAddOn
type Supported = NonNullable<NonNullable<Old['spec']>['supportedConfigs']>[number]

const v1alpha1 = apiVersionOf(ClusterManagementAddOn.versions.v1alpha1)
const v1beta1 = apiVersionOf(ClusterManagementAddOn.versions.v1beta1)

/** On the v1beta1 form: what it has no field for. It names configurations and gives nobody a right. */
const Kept = Type.Object({
  addOnConfiguration: Type.Optional(AddOnConfiguration),
  /** Kinds of configuration without a default, each with its place in the list. */
  withoutDefault: Type.Optional(
    Type.Array(
      Type.Object({
        at: Type.Integer({ minimum: 0 }),
        group: Type.Optional(Type.String()),
        resource: Type.String({ minLength: 1 }),
      }),
    ),
  ),
})
type Kept = Static<typeof Kept>
const keptSchema = structural(Kept)
export const keptAnnotation = `${ownDomain}/only-in-v1alpha1`

/** v1beta1 can say all that v1alpha1 can but for these two, and nothing that v1alpha1 cannot. */
export const clusterManagementAddOnConversion = betweenTwo<Old, New>(ClusterManagementAddOn, { toV1Beta1, toV1Alpha1 })

function toV1Beta1({ metadata, spec, status, ...rest }: Old): New {
  const { addOnConfiguration, supportedConfigs, ...sameSpec } = spec ?? {}
  const { defaultconfigReferences, ...sameStatus } = status ?? {}
  const withoutDefault = (supportedConfigs ?? []).flatMap(({ group, resource, defaultConfig }, at) =>
    defaultConfig ? [] : [defined({ at, group, resource })],
  )
  const kept = defined({
    addOnConfiguration,
    withoutDefault: withoutDefault.length > 0 ? withoutDefault : undefined,
  })
  const defaultConfigs = supportedConfigs?.flatMap(({ defaultConfig, ...of }) =>
    defaultConfig ? [{ ...of, ...defaultConfig }] : [],
  )
  return defined({
    ...rest,
    apiVersion: v1beta1,
    metadata: metadata && annotated(metadata, Object.keys(kept).length > 0 ? JSON.stringify(kept) : undefined),
    spec: spec && defined({ ...sameSpec, defaultConfigs }),
    status: status && defined({ ...sameStatus, defaultConfigReferences: defaultconfigReferences }),
  }) as New
}

function toV1Alpha1({ metadata, spec, status, ...rest }: New): Old {
  const { defaultConfigs, ...sameSpec } = spec ?? {}
  const { defaultConfigReferences, ...sameStatus } = status ?? {}
  const { addOnConfiguration, withoutDefault = [] } = keptOf(metadata)
  const listed = defaultConfigs ?? (withoutDefault.length > 0 ? [] : undefined)
  const supported: Supported[] | undefined = listed?.map(({ group, resource, name, namespace }) =>
    defined({ group, resource, defaultConfig: defined({ name, namespace }) }),
  )
  // One that has a default by now was edited meanwhile: that wins.
  for (const { at, ...of } of withoutDefault)
    if (supported && !supported.some((one) => one.resource === of.resource && (one.group ?? '') === (of.group ?? '')))
      supported.splice(at, 0, of)
  return defined({
    ...rest,
    apiVersion: v1alpha1,
    metadata: metadata && annotated(metadata, undefined),
    spec: spec && defined({ ...sameSpec, addOnConfiguration, supportedConfigs: supported }),
    status: status && defined({ ...sameStatus, defaultconfigReferences: defaultConfigReferences }),
  }) as Old
}

/** What cannot be understood was not written by us, and is as good as nothing. */
function keptOf(metadata: ObjectMeta | undefined): Kept {
  try {
    const json = metadata?.annotations?.[keptAnnotation] ?? '{}'
    const value: unknown = nestsDeeper(Buffer.from(json), mostLevels) ? {} : JSON.parse(json)
    return (problemsOf(keptSchema, value).length === 0 ? prune(keptSchema, value).value : {}) as Kept
  } catch {
    return {}
  }
}

function annotated({ annotations, ...metadata }: ObjectMeta, kept: string | undefined): ObjectMeta {
  const { [keptAnnotation]: _, ...others } = annotations ?? {}
  const all = { ...others, ...(kept !== undefined && { [keptAnnotation]: kept }) }
  return Object.keys(all).length === 0 ? metadata : { ...metadata, annotations: all }
}
