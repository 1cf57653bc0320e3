import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { denial, readVerdict } from './review-response.ts'

const expected = { uid: 'u1', reviewVersion: 'v1', type: 'mutating' } as const
const v1 = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }
const response = (fields: object) => ({ ...v1, response: { uid: 'u1', allowed: true, ...fields } })

const flawOf = (review: object, more: object = {}): string => {
  try {
    readVerdict(review as Record<string, unknown>, { ...expected, ...more })
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

describe('a verdict', () => {
  test('is read with its patch', () => {
    const patch = Buffer.from('[{"op":"add"}]').toString('base64')
    const verdict = readVerdict(response({ patch, patchType: 'JSONPatch', warnings: ['w'] }), expected)
    assert.deepEqual(verdict, {
      allowed: true,
      status: {},
      warnings: ['w'],
      patch: '[{"op":"add"}]',
      patchType: 'JSONPatch',
    })
    assert.equal(readVerdict(response({ allowed: undefined, status: null }), expected).allowed, false)
  })

  const invalid = (why: string) => `received invalid webhook response: ${why}`
  const undecodable = (why: string) => `failed to call webhook: ${why}`
  const flaws: [what: string, review: object, told: string][] = [
    ['nothing', {}, invalid('webhook response was absent')],
    ['no response', v1, invalid('webhook response was absent')],
    ['another uid', response({ uid: 'u2' }), invalid('expected response.uid="u1", got "u2"')],
    [
      'no kind',
      { response: { uid: 'u1' } },
      invalid('expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind='),
    ],
    [
      'another kind',
      { ...v1, kind: 'Pod' },
      undecodable(
        'no kind "Pod" is registered for version "admission.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"',
      ),
    ],
    [
      'another version',
      { ...v1, apiVersion: 'admission.k8s.io/v1beta1' },
      undecodable('converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion'),
    ],
    [
      'a text for allowed',
      response({ allowed: 'true' }),
      undecodable('json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool'),
    ],
    [
      'a list for the response',
      { ...v1, response: [] },
      undecodable(
        'json: cannot unmarshal array into Go struct field AdmissionReview.response of type v1.AdmissionResponse',
      ),
    ],
    [
      'a text for the code',
      response({ status: { code: '400' } }),
      undecodable('json: cannot unmarshal string into Go struct field Status.response.status.code of type int32'),
    ],
    [
      'a number for a warning',
      response({ warnings: [1] }),
      undecodable(
        'json: cannot unmarshal number into Go struct field AdmissionResponse.response.warnings of type string',
      ),
    ],
    ['no base64', response({ patch: '%%%' }), undecodable('illegal base64 data at input byte 0')],
    [
      'a patch of no type',
      response({ patch: 'W10=' }),
      invalid('webhook returned response.patch but not response.patchType'),
    ],
    [
      'a type of no patch',
      response({ patchType: 'JSONPatch' }),
      invalid('webhook returned response.patchType but not response.patch'),
    ],
    [
      'an empty type',
      response({ patch: 'W10=', patchType: '' }),
      invalid('webhook returned invalid response.patchType of ""'),
    ],
  ]
  for (const [what, review, told] of flaws)
    test(`is none in ${what}`, () => {
      assert.equal(flawOf(review), told)
    })

  test('of a validating webhook changes nothing', () => {
    const type = 'validating'
    assert.equal(
      flawOf(response({ patch: 'W10=', patchType: 'JSONPatch' }), { type }),
      invalid('validating webhook may not return response.patch'),
    )
    assert.equal(
      flawOf(response({ patchType: 'JSONPatch' }), { type }),
      invalid('validating webhook may not return response.patchType'),
    )
  })

  test('in v1beta1 need not say what it answers', () => {
    assert.equal(flawOf({ response: { patch: 'W10=' } }, { reviewVersion: 'v1beta1' }), '')
  })
})

test('a denial is told with what the webhook said, and never as a success', () => {
  const told = (status: object) => {
    const { code, reason, message, details } = denial('w', status)
    return [code, reason, message, details]
  }
  const denied = 'admission webhook "w" denied the request'
  assert.deepEqual(told({}), [400, '', `${denied} without explanation`, undefined])
  assert.deepEqual(told({ message: 'no', code: 200 }), [400, '', `${denied}: no`, undefined])
  assert.deepEqual(told({ reason: 'Odd', code: 418 }), [418, 'Odd', `${denied}: Odd`, undefined])
  assert.deepEqual(told({ code: 12_345 })[0], 400)
  const details = { causes: [{ message: 'm' }] }
  assert.deepEqual(told({ message: 'no', details })[3], details)
})
