import type { Random } from '../core/random.ts'
import type { InProcessAnswer, InProcessRequest } from '../kube/client/index.ts'
import { kubeInProcess } from '../kube/client/index.ts'
import type { Kube } from '../kube/kube.ts'
import type { User } from './authentication/user.ts'
import type { Answer } from './requests/answer.ts'
import { failureAnswer, isWatchAnswer } from './requests/answer.ts'
import type { ApiRequest } from './requests/body.ts'
import { openLines } from './requests/lines.ts'
import type { RequestInfo } from './requests/request-info.ts'
import { readRequestInfo } from './requests/request-info.ts'
import { ApiFailure } from './status.ts'

export interface InProcessDeps {
  random: Random
  /** As whom the requests are made. Nobody asks whether they may. */
  user: User
  userAgent: string
  route(request: ApiRequest, info: RequestInfo, user: User, warn: (message: string) => void): Promise<Answer>
}

/** The API for the control plane's own controllers: the same requests, without the network and the gate. */
export const ownKube = (deps: InProcessDeps): Kube =>
  kubeInProcess({ answer: (request) => answerOwn(deps, request) }, deps.random)

async function answerOwn({ route, user, userAgent }: InProcessDeps, asked: InProcessRequest): Promise<InProcessAnswer> {
  const query = new URLSearchParams(asked.query)
  const path = decodeURIComponent(asked.path)
  const request: ApiRequest = {
    method: asked.method,
    uri: asked.path + asked.query,
    path,
    query,
    headers: { accept: asked.accept, 'content-type': asked.contentType, 'user-agent': userAgent },
    rawHeaders: [],
    readBody: async () => asked.body,
  }
  const answer = await answerOrFailure(() => route(request, readRequestInfo(asked.method, path, query), user, () => {}))
  if (!isWatchAnswer(answer)) return answer
  return { open: (sink) => openLines(answer, sink) }
}

async function answerOrFailure(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ApiFailure) return failureAnswer(error)
    throw error
  }
}
