import { randomUUID } from 'node:crypto'
import type { Agent } from 'node:https'
import type { Clock } from '../../core/clock.ts'
import { isObject } from '../../core/schema/schema.ts'
import type { ResolveService, WebhookClientConfig } from '../admission/webhook-client.ts'
import { callWebhook, WebhookFailure } from '../admission/webhook-client.ts'
import type { ApiObject } from '../objects.ts'
import { ApiFailure } from '../status.ts'
import { checkConverted } from './converted.ts'
import type { Conversion } from './definition.ts'

/** The same objects in another version, in the same order. Throws an `ApiFailure`. */
export type Converter = (objects: readonly ApiObject[], apiVersion: string) => Promise<ApiObject[]>

export interface ConversionDeps {
  clock: Pick<Clock, 'countdown'>
  resolveService: ResolveService
  agent?: Agent
}

const timeoutMs = 30_000
const group = 'apiextensions.k8s.io'

/** Undefined where versions differ by nothing but their name. */
export function converterOf(conversion: Conversion | undefined, deps: ConversionDeps): Converter | undefined {
  if (conversion?.strategy !== 'Webhook') return undefined
  const { clientConfig = {}, conversionReviewVersions = [] } = conversion.webhook ?? {}
  const version = conversionReviewVersions.find((candidate) => candidate === 'v1' || candidate === 'v1beta1') ?? 'v1'
  return (objects, apiVersion) => convert({ ...deps, clientConfig, version }, objects, apiVersion)
}

interface Hook extends ConversionDeps {
  clientConfig: WebhookClientConfig
  version: string
}

async function convert(hook: Hook, objects: readonly ApiObject[], apiVersion: string): Promise<ApiObject[]> {
  const waiting = objects.filter((object) => object.apiVersion !== apiVersion)
  const [first] = waiting
  if (!first) return [...objects]
  const named = `conversion webhook for ${first.apiVersion}, Kind=${first.kind}`
  const converted = await ask(hook, waiting, apiVersion, named)
  if (converted.length !== waiting.length)
    throw failed(`${named} returned ${converted.length} objects, expected ${waiting.length}`)
  const done = waiting.map((object, index) => checkConverted(object, converted[index], { apiVersion, index, named }))
  return objects.map((object) => (object.apiVersion === apiVersion ? object : (done.shift() as ApiObject)))
}

/** What the webhook made of the objects, unchecked. */
async function ask(hook: Hook, objects: readonly ApiObject[], apiVersion: string, named: string): Promise<unknown[]> {
  const uid = randomUUID()
  const review = {
    kind: 'ConversionReview',
    apiVersion: `${group}/${hook.version}`,
    request: { uid, desiredAPIVersion: apiVersion, objects: objects.map(withoutVersion) },
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  }
  const answer = await callWebhook({ ...hook, timeoutMs }, review).catch((error: unknown) => {
    if (error instanceof WebhookFailure) throw failed(`${named} failed: ${error.message}`)
    throw error
  })
  const why = whyNot(answer, review.apiVersion, uid)
  if (why !== undefined) throw failed(`${named} failed: ${why}`)
  const { convertedObjects } = answer['response'] as { convertedObjects?: unknown }
  return Array.isArray(convertedObjects) ? convertedObjects : []
}

/** Objects that are on their way into the store have none yet; others are sent as they lie there. */
const withoutVersion = ({ metadata: { resourceVersion, ...metadata }, ...rest }: ApiObject) => ({ ...rest, metadata })

function whyNot(answer: Record<string, unknown>, asked: string, uid: string): string | undefined {
  const { apiVersion = '', kind = '', response } = answer
  if (apiVersion !== asked || kind !== 'ConversionReview')
    return `expected webhook response of ${asked}, Kind=ConversionReview, got ${apiVersion}, Kind=${kind}`
  if (!isObject(response)) return 'no response provided'
  if ((response['uid'] ?? '') !== uid)
    return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response['uid'] ?? '')}`
  const { status = '', message = '' } = (response['result'] ?? {}) as { status?: string; message?: string }
  if (status === 'Success') return undefined
  return message || `response.result.status was '${status}', not 'Success'`
}

/** Without a reason, as the real server has it. */
export const failed = (message: string): ApiFailure => new ApiFailure(500, '', message)
