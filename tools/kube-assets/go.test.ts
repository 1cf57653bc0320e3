import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { neededGo, parseGoDirective, parseGoVersion, whyNotGo } from './go.ts'

describe('a Go version', () => {
  const cases: [string, readonly number[] | undefined][] = [
    ['go version go1.26.8 linux/amd64', [1, 26, 8]],
    ['go version go1.26 darwin/arm64', [1, 26, 0]],
    ['go version go1.27rc1 linux/amd64', [1, 27, 0]],
    ['go version devel go1.28-1a2b3c4 Mon Jan 5 linux/amd64', [1, 28, 0]],
    ['gccgo (GCC) 15.1', undefined],
  ]
  for (const [output, version] of cases) {
    test(`is read from "${output}"`, () => assert.deepEqual(parseGoVersion(output), version))
  }

  test('is read from the go line of a go.mod', () => {
    assert.deepEqual(parseGoDirective('module m\n\ngo 1.25.3\n\ntoolchain go1.26.10\n'), [1, 25, 3])
    assert.equal(parseGoDirective('module m\n'), undefined)
  })
})

test('the newest Go that any module needs is the needed one', () => {
  assert.deepEqual(neededGo(['go 1.25.9', 'go 1.26.0', 'go 1.9']), [1, 26, 0])
})

describe('the Go on this machine', () => {
  const needed = [1, 26, 0] as const

  for (const output of ['go version go1.26.0 linux/amd64', 'go version go1.27.1 x', 'go version go2.0 x']) {
    test(`will do: ${output}`, () => assert.equal(whyNotGo(output, needed), undefined))
  }

  test('is too old: the message tells both versions and where to get Go', () => {
    const message = whyNotGo('go version go1.25.11 linux/amd64\n', needed) ?? ''
    assert.match(message, /Go 1\.26\.0 or newer is needed .* "go version go1\.25\.11 linux\/amd64"/)
    assert.match(message, /https:\/\/go\.dev\/dl\//)
  })

  test('is missing: the message says so and names the other way', () => {
    const message = whyNotGo(undefined, needed) ?? ''
    assert.match(message, /there is no `go` on PATH/)
    assert.match(message, /KUBEBUILDER_ASSETS/)
  })
})
