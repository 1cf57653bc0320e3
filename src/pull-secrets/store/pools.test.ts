import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeOf } from './pools.ts'

for (const [url, place, isPooler] of [
  ['postgresql://u:p@h:6432/d?pgbouncer=true', 'postgresql://u:p@h:6432/d', true],
  ['postgresql://u@/d?host=%2Ftmp%2Fx&pgbouncer=true', 'postgresql://u@/d?host=%2Ftmp%2Fx', true],
  ['postgresql://u@h/d?sslmode=require', 'postgresql://u@h/d?sslmode=require', false],
  ['postgresql://u@h/d?pgbouncer=false', 'postgresql://u@h/d', false],
  ['postgresql://u@h/d', 'postgresql://u@h/d', false],
] as const) {
  test(`${url} is ${isPooler ? 'a pooler' : 'a server'}`, () => {
    assert.deepEqual(placeOf(url), { url: place, isPooler })
  })
}
