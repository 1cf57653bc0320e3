import { randomUUID } from 'node:crypto'
import type { Caller } from './authenticate.ts'
import { authenticate } from './authenticate.ts'
import type { AwsService } from './contract.ts'
import { accessEntryActions } from './eks-access-entries.ts'
import { clusterActions } from './eks-clusters.ts'
import { policyActions } from './iam-policies.ts'
import { providerActions } from './iam-providers.ts'
import { roleActions } from './iam-roles.ts'
import { eksInput, jsonAnswer, jsonError, jsonRefusal } from './json-protocol.ts'
import type { Params, WireReply, Xml } from './query-protocol.ts'
import { paramsOf, xmlAnswer, xmlError, xmlRefusal } from './query-protocol.ts'
import type { AwsRefusal } from './refusals.ts'
import { refuse } from './refusals.ts'
import type { RawRequest } from './request.ts'
import type { Signature } from './signature.ts'
import { signatureIn } from './signature.ts'
import type { World } from './state.ts'
import { assumeRole, getCallerIdentity } from './sts.ts'
import { assumeRoleWithWebIdentity } from './web-identity.ts'

/** A call, told apart and ready to be done. */
export interface Prepared {
  service: AwsService
  action: string
  input: Record<string, string>
  /** Does it; refusals are thrown. `known` is told who calls as soon as that is sure. */
  effect(known: (caller: Caller) => void): Promise<WireReply>
  refused(refusal: AwsRefusal): WireReply
  failed(error: { code: string; status: number; message: string }): WireReply
}

const iamActions = { ...roleActions, ...policyActions, ...providerActions }
const eksActions = { ...clusterActions, ...accessEntryActions }
const versions = { iam: '2010-05-08', sts: '2011-06-15' }
const unsignedAction = 'AssumeRoleWithWebIdentity'
const stsActions = ['GetCallerIdentity', 'AssumeRole', unsignedAction]
const secretInput = ['WebIdentityToken', 'X-Amz-Security-Token', 'X-Amz-Signature']

export function prepare(world: World, request: RawRequest): Prepared {
  const isQuery = request.path === '/'
  return isQuery ? prepareQuery(world, request) : prepareEks(world, request)
}

function prepareQuery(world: World, request: RawRequest): Prepared {
  const params = paramsOf(request)
  const action = params.get('Action') ?? ''
  const service = stsActions.includes(action) ? 'sts' : 'iam'
  const requestId = randomUUID()
  return {
    service,
    action,
    input: Object.fromEntries(params.all().filter(([name]) => !secretInput.includes(name))),
    async effect(known) {
      const result = await queryResult(world, request, { service, action, params, known })
      return xmlAnswer(service, action, result, requestId)
    },
    refused: (refusal) => xmlRefusal(service, refusal, requestId),
    failed: (error) => xmlError(service, error, requestId),
  }
}

interface QueryCall {
  service: 'iam' | 'sts'
  action: string
  params: Params
  known(caller: Caller): void
}

async function queryResult(
  world: World,
  request: RawRequest,
  { service, action, params, known }: QueryCall,
): Promise<Xml> {
  const version = params.get('Version') ?? ''
  if (action === unsignedAction && version === versions.sts) return assumeRoleWithWebIdentity(world, params)
  const caller = authenticate(world, request, signatureFor(request, service))
  known(caller)
  const handler = service === 'iam' ? iamActions[action] : undefined
  if (version !== versions[service] || (service === 'iam' && !handler)) refuse('ACTION_UNKNOWN', { action, version })
  if (handler) return handler({ world, caller, params })
  return action === 'AssumeRole' ? assumeRole(world, caller, params) : getCallerIdentity(caller)
}

function prepareEks(world: World, request: RawRequest): Prepared {
  const input = eksInput(request)
  const requestId = randomUUID()
  return {
    service: 'eks',
    action: input.action,
    input: { ...input.labels },
    async effect(known) {
      const signature = signatureFor(request, 'eks')
      const caller = authenticate(world, request, signature)
      known(caller)
      const handler =
        eksActions[input.action] ?? refuse('ACTION_UNKNOWN', { action: input.action, version: '2017-11-01' })
      return jsonAnswer(handler({ world, caller, region: signature.scope.region, input }), requestId)
    },
    refused: (refusal) => jsonRefusal(refusal, requestId),
    failed: (error) => jsonError(error, requestId),
  }
}

function signatureFor(request: RawRequest, service: AwsService): Signature {
  const signature = signatureIn(request) ?? refuse('UNSIGNED')
  return signature.scope.service === service
    ? signature
    : refuse('SCOPE_WRONG', { expected: `correct service: '${service}'` })
}
