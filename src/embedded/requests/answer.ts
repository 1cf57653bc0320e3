import { stringify } from 'yaml'
import type { ApiFailure, Status } from '../status.ts'
import type { Sink, Watch } from '../watch/watch.ts'
import type { FrameWriter } from './frames.ts'
import type { Form } from './negotiate.ts'

/** What the server sends back: a whole body, or a watch that goes on. */
export type Answer = WholeAnswer | WatchAnswer

export interface WholeAnswer {
  readonly code: number
  readonly body: string
  /** In its place, where it is no text. */
  readonly bytes?: Buffer
  /** Empty where nothing is said of it. */
  readonly contentType: string
  readonly headers?: Readonly<Record<string, string>>
  /** Not packed, however long it is. */
  readonly isSentAsItIs?: boolean
}

export interface WatchAnswer {
  readonly contentType: string
  readonly writeFrame: FrameWriter
  /** Begins when the server is ready to send. */
  open(sink: Sink): Watch
}

export const isWatchAnswer = (answer: Answer): answer is WatchAnswer => 'open' in answer

/** Longer answers stay JSON, which is YAML as well: to write the other takes seconds, in which nobody is served. */
const longestYaml = 512 * 1024

/** JSON text that is already there, in the form the client wants. */
export function textAnswer(code: number, text: string, { media, isPretty }: Form): WholeAnswer {
  if (media === 'application/yaml' && text.length <= longestYaml)
    return { code, body: stringify(JSON.parse(text)), contentType: media }
  return { code, body: isPretty ? JSON.stringify(JSON.parse(text), null, 2) : `${text}\n`, contentType: media }
}

export const objectAnswer = (code: number, object: object, form: Form): WholeAnswer =>
  textAnswer(code, JSON.stringify(object), form)

export const plainAnswer = (code: number, body: string): WholeAnswer => ({
  code,
  body,
  contentType: 'text/plain; charset=utf-8',
  headers: { 'x-content-type-options': 'nosniff' },
})

export const pageNotFound = (): WholeAnswer => plainAnswer(404, '404 page not found\n')

export const plainForm: Form = {
  as: 'object',
  metaVersion: 'v1',
  media: 'application/json',
  isPretty: false,
  includeObject: 'Metadata',
}

export function failureAnswer(failure: ApiFailure, form: Form = plainForm): WholeAnswer {
  const status: Status = failure.toStatus()
  const retryAfter = failure.details?.retryAfterSeconds
  return {
    ...objectAnswer(failure.code, status, form),
    ...(retryAfter !== undefined && { headers: { 'retry-after': String(retryAfter) } }),
  }
}
