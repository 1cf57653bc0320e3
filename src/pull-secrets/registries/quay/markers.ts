import { textField } from '../http/index.ts'

/**
 * Quay answers 400 to almost everything and tells it apart by the words alone. All of those words are here; what is
 * none of them is an error of its own and never taken for success.
 */
const markers = {
  exists: 'existing robot with name',
  missing: 'could not find robot',
  mirrored: 'being used by a mirror',
  alreadyMember: 'already a member',
  unknownUser: 'unknown user',
} as const

export type Marker = keyof typeof markers

/** Of a 400. Of its two shapes, errors of the API have `detail` or `error_message`, those of its data have `message`. */
export function markerOf(json: unknown): Marker | undefined {
  const words = ['message', 'error_message', 'detail']
    .map((name) => textField(json, name)?.toLowerCase())
    .filter((text) => text !== undefined)
  const known = Object.entries(markers) as [Marker, string][]
  return known.find(([, marker]) => words.some((text) => text.includes(marker)))?.[0]
}
