import type { KubeObject, Resource } from '../../kube/objects.ts'
import { apiVersionOf } from '../../kube/objects.ts'
import type { Conversion } from '../conversion.ts'
import type { AnyCustomResource } from '../declare.ts'
import { failures } from '../failures.ts'

/** The conversion of a kind that has a form of old and the present one. */
export function betweenTwo<Old extends KubeObject, New extends KubeObject>(
  {
    declaration: { group, kind },
    versions,
  }: AnyCustomResource & { versions: Record<'v1alpha1' | 'v1beta1', Resource<KubeObject>> },
  { toV1Beta1, toV1Alpha1 }: { toV1Beta1(object: Old): New; toV1Alpha1(object: New): Old },
): Conversion {
  const [v1alpha1, v1beta1] = [apiVersionOf(versions.v1alpha1), apiVersionOf(versions.v1beta1)]
  return {
    group,
    kind,
    convert(object, to) {
      const from = object.apiVersion ?? ''
      if (from === to && (to === v1alpha1 || to === v1beta1)) return object
      if (from === v1alpha1 && to === v1beta1) return toV1Beta1(object as Old)
      if (from === v1beta1 && to === v1alpha1) return toV1Alpha1(object as New)
      throw failures.CONVERSION_UNKNOWN_VERSION({ kind, from, to, known: `${v1alpha1} and ${v1beta1}` })
    },
  }
}
