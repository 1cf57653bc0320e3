import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { isFailure } from '../../../../core/failure.ts'
import { createLog } from '../../../../core/log.ts'
import { failures } from '../failures.ts'
import { calling, failureOf, orNothing } from './answers.ts'

const named = (name: string, httpStatusCode = 400) =>
  Object.assign(new Error('words'), { name, $metadata: { httpStatusCode } })

test('errors are told apart by their names, with and without Exception at the end', () => {
  for (const [name, code] of [
    ['NoSuchEntityException', 'AWS_NOT_FOUND'],
    ['NoSuchEntity', 'AWS_NOT_FOUND'],
    ['ResourceNotFoundException', 'AWS_NOT_FOUND'],
    ['EntityAlreadyExistsException', 'AWS_ALREADY_THERE'],
    ['ResourceInUseException', 'AWS_ALREADY_THERE'],
    ['DeleteConflictException', 'AWS_CONFLICT'],
    ['ConcurrentModificationException', 'AWS_CONFLICT'],
    ['Throttling', 'AWS_THROTTLED'],
    ['ThrottlingException', 'AWS_THROTTLED'],
    ['RequestLimitExceeded', 'AWS_THROTTLED'],
    ['MalformedPolicyDocumentException', 'AWS_INVALID'],
    ['InvalidParameterException', 'AWS_INVALID'],
    ['AccessDenied', 'AWS_REFUSED'],
    ['AccessDeniedException', 'AWS_REFUSED'],
    ['ExpiredToken', 'AWS_CREDENTIALS_WRONG'],
    ['RequestTimeTooSkewed', 'AWS_CREDENTIALS_WRONG'],
    ['RequestTimeTooSkewedException', 'AWS_CREDENTIALS_WRONG'],
    ['LimitExceededException', 'AWS_LIMIT'],
    ['CredentialsProviderError', 'AWS_NO_CREDENTIALS'],
    ['ServiceFailureException', 'AWS_UNAVAILABLE'],
    ['TimeoutError', 'AWS_UNAVAILABLE'],
  ])
    assert.equal(failureOf('iam:GetRole', named(`${name}`)).code, code, name)
})

test('a name that nobody knows is judged by the status, and the words of AWS stay in the cause', () => {
  assert.equal(failureOf('x', named('Odd', 403)).code, 'AWS_REFUSED')
  assert.equal(failureOf('x', named('Odd', 429)).code, 'AWS_THROTTLED')
  assert.equal(failureOf('x', named('Odd', 500)).code, 'AWS_UNAVAILABLE')
  assert.equal(failureOf('x', undefined).code, 'AWS_UNAVAILABLE')
  const failure = failureOf('iam:CreateRole', named('AccessDenied'))
  assert.doesNotMatch(failure.message, /words/)
  assert.match(failure.message, /iam:CreateRole/)
})

test('a call that gets no answer ends at its deadline, and says which it was', async () => {
  const clock = new FakeClock()
  const call = calling(clock, 1_000)
  const silent = call('iam:GetRole', ({ abortSignal }) => {
    const answer = Promise.withResolvers<never>()
    abortSignal.addEventListener('abort', () => answer.reject(named('AbortError')))
    return answer.promise
  })
  const late = assert.rejects(
    silent,
    (error) => isFailure(error, 'AWS_DEADLINE') && error.message.includes('iam:GetRole'),
  )
  await clock.advance('1s')
  await late
  assert.equal(clock.nextDue, undefined)
})

test('only what is not there is nothing', async () => {
  assert.equal(await orNothing(Promise.resolve(1)), 1)
  assert.equal(await orNothing(Promise.reject(failures.AWS_NOT_FOUND({ operation: 'x', code: 'y' }))), undefined)
  await assert.rejects(orNothing(Promise.reject(failures.AWS_REFUSED({ operation: 'x', code: 'y' }))))
})

test('where AWS does not take the credentials its words, which repeat the session token, are in no log line', () => {
  const token = 'IQoJb3JpZ2luX2VjEJ3abcdefghijklmnop'
  const words = `The Canonical String for this request should have been 'POST\nx-amz-security-token:${token}\n'`
  for (const name of ['SignatureDoesNotMatch', 'InvalidSignatureException', 'IncompleteSignature', 'NewName']) {
    const $metadata = { httpStatusCode: 403, requestId: 'request-7' }
    const lines: string[] = []
    const log = createLog({ destination: { write: (line) => lines.push(line) } })
    const thrown = Object.assign(new Error(words), { name, $metadata, $response: { body: words } })
    log.warn({ err: failureOf('iam:GetRole', thrown) }, 'reconcile failed')
    assert.doesNotMatch(lines.join(''), /IQoJ|Canonical/, name)
    assert.match(lines.join(''), /request-7/)
    assert.match(lines.join(''), new RegExp(name))
  }
})
