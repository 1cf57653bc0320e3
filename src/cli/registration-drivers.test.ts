import assert from 'node:assert/strict'
import { test } from 'node:test'
import { driverOf, driversOf } from './registration-drivers.ts'

test('both words for the join by AWS IAM mean one driver', () => {
  assert.deepEqual(driversOf(['aws-irsa', 'csr', 'awsirsa'], '--f'), ['awsirsa', 'csr'])
  assert.equal(driverOf('aws-irsa', '--f'), 'awsirsa')
  assert.equal(driverOf('csr', '--f'), 'csr')
})

test('what this version does not have is refused with the flag and what it takes', () => {
  assert.throws(() => driversOf(['grpc'], '--f'), { code: 'DRIVER_LATER', message: /--f takes csr, awsirsa, aws-irsa/ })
  assert.throws(() => driversOf(['ldap'], '--f'), { code: 'DRIVER_UNKNOWN', message: /--f takes csr, .*grpc/ })
  assert.throws(() => driversOf(['toString'], '--f'), { code: 'DRIVER_UNKNOWN' })
  assert.throws(() => driversOf([], '--f'), { code: 'DRIVER_UNKNOWN' })
})
