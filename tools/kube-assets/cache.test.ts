import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { KeyParts } from './cache.ts'
import { assetKey, cacheRoot, goPlatform } from './cache.ts'

describe('the cache folder', () => {
  test('is lanyard in the user’s cache folder', () => {
    assert.equal(cacheRoot({}, '/home/ada'), '/home/ada/.cache/lanyard')
    assert.equal(cacheRoot({ XDG_CACHE_HOME: '/xdg' }, '/home/ada'), '/xdg/lanyard')
  })

  test('is LANYARD_CACHE itself when that is set', () => {
    assert.equal(cacheRoot({ LANYARD_CACHE: '/big', XDG_CACHE_HOME: '/xdg' }, '/home/ada'), '/big')
  })

  test('takes an empty variable as not set', () => {
    assert.equal(cacheRoot({ LANYARD_CACHE: '', XDG_CACHE_HOME: '' }, '/home/ada'), '/home/ada/.cache/lanyard')
  })
})

describe('the key', () => {
  const pin = { version: 'v1.0.0', module: 'm', package: 'example.com/m', stamps: {} }
  const parts: KeyParts = {
    pins: { a: pin, b: pin },
    moduleFiles: { 'm/go.mod': 'module m', 'm/go.sum': 'sum' },
    platform: { os: 'linux', arch: 'amd64' },
  }

  test('starts with the platform and is safe in a path', () => {
    assert.match(assetKey(parts), /^linux-amd64-[0-9a-f]{16}$/)
  })

  test('does not depend on the order in which pins and files are listed', () => {
    const moduleFiles = { 'm/go.sum': 'sum', 'm/go.mod': 'module m' }
    assert.equal(assetKey({ ...parts, pins: { b: pin, a: pin }, moduleFiles }), assetKey(parts))
  })

  const changes: Record<string, KeyParts> = {
    'a version': { ...parts, pins: { a: pin, b: { ...pin, version: 'v1.0.1' } } },
    'a stamp': { ...parts, pins: { a: pin, b: { ...pin, stamps: { 'x.y': 'z' } } } },
    'a dependency': { ...parts, moduleFiles: { ...parts.moduleFiles, 'm/go.sum': 'other' } },
    'the machine': { ...parts, platform: { os: 'linux', arch: 'arm64' } },
  }
  for (const [what, changed] of Object.entries(changes)) {
    test(`changes with ${what}`, () => assert.notEqual(assetKey(changed), assetKey(parts)))
  }
})

describe('the platform', () => {
  test('is told in the words of Go', () => {
    assert.deepEqual(goPlatform('linux', 'x64'), { os: 'linux', arch: 'amd64' })
    assert.deepEqual(goPlatform('darwin', 'arm64'), { os: 'darwin', arch: 'arm64' })
  })

  test('is refused where these programs do not run', () => {
    assert.throws(() => goPlatform('win32', 'x64'), /this is win32 on x64/)
    assert.throws(() => goPlatform('linux', 'ia32'), /this is linux on ia32/)
  })
})
