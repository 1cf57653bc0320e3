import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** Kept small: there may be hundreds, and few are asked for twice. */
export type Packed = Buffer

export const pack = (content: string | Buffer): Packed => deflateRawSync(content, { level: 1 })
export const unpack = (packed: Packed): Buffer => inflateRawSync(packed)
