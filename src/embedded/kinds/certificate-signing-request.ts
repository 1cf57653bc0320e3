import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { ApiObject } from '../objects.ts'
import { durationText } from './age.ts'
import { certificateFlaw, requestFlaw, signerNameErrors, usageErrors } from './csr-checks.ts'
import { conditionErrors, conditionUpdateErrors, keepDecisions, stampConditions } from './csr-conditions.ts'
import type { Definition } from './define.ts'
import { as } from './define.ts'
import type { FieldError } from './field-errors.ts'
import { forbiddenField, invalidValue } from './field-errors.ts'
import type { WriteContext } from './kind.ts'
import { checkStandardFinalizers } from './metadata.ts'
import { pathSegmentName } from './names.ts'
import { statusPart } from './parts.ts'

type Csr = CertificateSigningRequest

const certificateOf = (object: ApiObject): string => as<Csr>(object).status?.certificate ?? ''

export const certificateSigningRequests: Definition = {
  rules: {
    updateChecks: ['whole', 'check', 'update', 'checkUpdate'],
    checkName: pathSegmentName,
    prepareCreate: (object, context) => {
      object['spec'] ??= {}
      signWithUser(as<Csr>(object), context)
      object['status'] = {}
    },
    prepareUpdate: (object, old) => {
      object['spec'] = old['spec']
      object['status'] = old['status'] ?? {}
    },
    check: (object) => {
      const { metadata, spec } = as<Csr>(object)
      const why = requestFlaw(spec.request ?? '')
      return [
        ...checkStandardFinalizers(metadata.finalizers),
        ...(why ? [invalidValue('spec.request', spec.request ?? null, why)] : []),
        ...usageErrors(spec.usages ?? []),
        ...signerNameErrors(spec.signerName ?? ''),
        ...(spec.expirationSeconds !== undefined && spec.expirationSeconds < 600
          ? [
              invalidValue(
                'spec.expirationSeconds',
                spec.expirationSeconds,
                'may not specify a duration less than 600 seconds (10 minutes)',
              ),
            ]
          : []),
      ]
    },
  },
  subresources: {
    approval: {
      ...statusPart({
        prepare: (object, old, { now }) => {
          stampConditions(object, old, now)
          const { conditions } = as<Csr>(object).status ?? {}
          object['status'] = { ...(old['status'] as object), ...(conditions && { conditions }) }
          if (!conditions) delete as<Csr>(object).status?.conditions
        },
        check: (object, old) => [
          ...conditionErrors(object, old),
          ...conditionUpdateErrors(object, old, { mayDecide: true }),
        ],
      }),
      isTabled: false,
    },
    status: statusPart({
      prepare: (object, old, { now }) => {
        object['status'] ??= {}
        keepDecisions(object, old)
        stampConditions(object, old, now)
      },
      check: (object, old) => [
        ...conditionErrors(object, old),
        ...newCertificateErrors(object, old),
        ...conditionUpdateErrors(object, old, { mayDecide: false }),
        ...(certificateOf(old) !== '' && certificateOf(object) !== certificateOf(old)
          ? [forbiddenField('status.certificate', 'updates may not modify existing certificate content')]
          : []),
      ],
    }),
  },
  cells: {
    SignerName: (object) => as<Csr>(object).spec.signerName || '<none>',
    Requestor: (object) => as<Csr>(object).spec.username ?? '',
    RequestedDuration: (object) => {
      const { expirationSeconds } = as<Csr>(object).spec
      return expirationSeconds === undefined ? '<none>' : durationText(expirationSeconds * 1000)
    },
    Condition: conditionCell,
  },
  selectable: { 'spec.signerName': (object) => as<Csr>(object).spec.signerName ?? '' },
}

/** Who asks is known to the server; what the client says about it does not count. */
function signWithUser(csr: Csr, { user }: WriteContext): void {
  const { username, uid, groups, extra, ...spec } = csr.spec
  csr.spec = {
    ...spec,
    username: user.name,
    ...(user.uid && { uid: user.uid }),
    ...(user.groups.length > 0 && { groups: [...user.groups] }),
    ...(user.extra && Object.keys(user.extra).length > 0 && { extra: extraOf(user.extra) }),
  }
}

const extraOf = (extra: Readonly<Record<string, readonly string[]>>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]))

function newCertificateErrors(object: ApiObject, old: ApiObject): FieldError[] {
  const certificate = certificateOf(object)
  if (certificate === '' || certificate === certificateOf(old)) return []
  const why = certificateFlaw(Buffer.from(certificate, 'base64').toString())
  return why ? [invalidValue('status.certificate', '<certificate data>', why)] : []
}

function conditionCell(object: ApiObject): string {
  const types = (as<Csr>(object).status?.conditions ?? []).map(({ type }) => type)
  const decision = types.includes('Denied') ? 'Denied' : types.includes('Approved') ? 'Approved' : 'Pending'
  const failed = types.includes('Failed') ? ',Failed' : ''
  return `${decision}${failed}${certificateOf(object) === '' ? '' : ',Issued'}`
}
