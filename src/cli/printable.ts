/**
 * Text that others wrote, such as names and messages of agents, as it may be shown on a terminal: control characters
 * could move its cursor and write over what we say, and marks of direction turn around what stands beside them.
 */
export const printable = (text: string): string => text.replace(controls, '\u{fffd}')

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
