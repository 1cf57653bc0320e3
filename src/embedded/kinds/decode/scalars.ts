import type { Schema } from '../../../core/schema/schema.ts'
import { canonicalBase64, illegalBase64At } from './base64.ts'
import { goType, jsonTypeOf } from './go-types.ts'
import { badQuantity, canonicalQuantity } from './quantity.ts'
import { BadTime, decodeMicroTime, decodeTime } from './timestamps.ts'
import { Unfit } from './unfit.ts'

/** Gives the value as it is kept; undefined for what is not kept. Throws `Unfit`. */
export type Scalar = (value: unknown) => unknown

const cannotBe = (value: unknown, type: string): Unfit => new Unfit('', jsonTypeOf(value), type)

export function string(schema: Schema): Scalar {
  const type = goType(schema)
  return (value) => {
    if (typeof value === 'string') return value
    throw cannotBe(value, type)
  }
}

export const boolean: Scalar = (value) => {
  if (typeof value === 'boolean') return value
  throw cannotBe(value, 'bool')
}

export const number: Scalar = (value) => {
  if (typeof value === 'number') return value
  throw cannotBe(value, 'float64')
}

export function integer(schema: Schema): Scalar {
  const type = goType(schema)
  const most = type === 'int32' ? 2 ** 31 : 2 ** 63
  return (value) => {
    if (typeof value !== 'number') throw cannotBe(value, type)
    if (Number.isInteger(value) && value >= -most && value < most) return value
    throw new Unfit('', `number ${value}`, type)
  }
}

const int32 = integer({ type: 'integer', format: 'int32' })

export const intOrString: Scalar = (value) => (typeof value === 'string' ? value : int32(value))

const text = string({ type: 'string' })

const timestamp =
  (decode: (text: string) => string | undefined): Scalar =>
  (value) => {
    try {
      return decode(text(value) as string)
    } catch (error) {
      if (error instanceof BadTime) throw new Unfit(error.message)
      throw error
    }
  }

export const time = timestamp(decodeTime)
export const microTime = timestamp(decodeMicroTime)

export const quantity: Scalar = (value) => {
  const known = typeof value === 'string' || typeof value === 'number' ? canonicalQuantity(`${value}`) : undefined
  if (known === undefined) throw new Unfit(badQuantity)
  return known
}

/** Base64, or a list of bytes, which Go takes as well. */
export const bytes: Scalar = (value) => {
  if (Array.isArray(value)) return Buffer.from(value.map(byte)).toString('base64')
  if (typeof value !== 'string') throw cannotBe(value, '[]uint8')
  const known = canonicalBase64(value)
  if (known === undefined) throw new Unfit(`illegal base64 data at input byte ${illegalBase64At(value)}`)
  return known
}

function byte(value: unknown): number {
  if (typeof value !== 'number') throw cannotBe(value, 'uint8')
  if (Number.isInteger(value) && value >= 0 && value < 256) return value
  throw new Unfit('', `number ${value}`, 'uint8')
}
