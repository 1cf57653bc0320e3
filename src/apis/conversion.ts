import type { KubeObject } from '../kube/objects.ts'
import { clusterManagementAddOnConversion } from './addon/cluster-management-addon-conversion.ts'
import { managedClusterAddOnConversion } from './addon/conversion.ts'
import { failures } from './failures.ts'

/** Turns objects of one kind from any version of it into any other. */
export interface Conversion {
  readonly group: string
  readonly kind: string
  /**
   * Pure and lossless: converted back, the object is what it was. Metadata stays but for labels and annotations, as the
   * API server demands. Throws CONVERSION_UNKNOWN_VERSION.
   */
  convert(object: KubeObject, toApiVersion: string): KubeObject
}

/** Of every kind that is declared with a conversion. */
export const conversions: readonly Conversion[] = [managedClusterAddOnConversion, clusterManagementAddOnConversion]

/** A ConversionReview of `apiextensions.k8s.io/v1`, as the API server sends it. */
export interface ConversionReview {
  apiVersion: string
  kind: string
  request: { uid: string; desiredAPIVersion: string; objects: KubeObject[] }
}

export interface ConversionAnswer {
  apiVersion: 'apiextensions.k8s.io/v1'
  kind: 'ConversionReview'
  response: {
    uid: string
    result: { status: 'Success' } | { status: 'Failure'; message: string }
    convertedObjects: KubeObject[]
  }
}

/** Some milliseconds' work. */
const sliceObjects = 200

/** Answers whatever was sent: one object that cannot be converted fails the whole review, as there is no half answer. Gives way between slices. */
export async function convertReview(
  review: unknown,
  giveWay = async (): Promise<void> => {},
  known: readonly Conversion[] = conversions,
): Promise<ConversionAnswer> {
  try {
    const { uid, desiredAPIVersion, objects } = requestOf(review)
    const convertedObjects: KubeObject[] = []
    for (const object of objects) {
      if (convertedObjects.length > 0 && convertedObjects.length % sliceObjects === 0) await giveWay()
      convertedObjects.push(conversionOf(object, known).convert(object, desiredAPIVersion))
    }
    return answer(uid, { status: 'Success' }, convertedObjects)
  } catch (error) {
    return answer(uidOf(review), { status: 'Failure', message: error instanceof Error ? error.message : String(error) })
  }
}

const answer = (
  uid: string,
  result: ConversionAnswer['response']['result'],
  convertedObjects: KubeObject[] = [],
): ConversionAnswer => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'ConversionReview',
  response: { uid, result, convertedObjects },
})

function requestOf(review: unknown): ConversionReview['request'] {
  const { apiVersion, kind, request } = (review ?? {}) as Partial<ConversionReview>
  const isReview =
    apiVersion === 'apiextensions.k8s.io/v1' &&
    kind === 'ConversionReview' &&
    typeof request?.desiredAPIVersion === 'string' &&
    Array.isArray(request.objects) &&
    request.objects.every((object) => typeof object === 'object' && object !== null)
  if (!isReview) throw failures.CONVERSION_NO_REVIEW()
  return request
}

function uidOf(review: unknown): string {
  const uid = (review as Partial<ConversionReview> | null | undefined)?.request?.uid
  return typeof uid === 'string' ? uid : ''
}

function conversionOf({ apiVersion = '', kind = '' }: KubeObject, known: readonly Conversion[]): Conversion {
  const found = known.find((conversion) => conversion.kind === kind && apiVersion.startsWith(`${conversion.group}/`))
  if (!found) throw failures.CONVERSION_UNKNOWN_KIND({ apiVersion, kind })
  return found
}
