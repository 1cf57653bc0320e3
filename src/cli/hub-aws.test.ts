import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../core/clock.ts'
import { silentLog } from '../core/log.ts'
import { awsWishOf, hubAws } from './hub-aws.ts'
import type { HubAwsFlags } from './hub-drivers.ts'

const open = (flags: Partial<HubAwsFlags>) => {
  const wish = awsWishOf({
    hubClusterArn: 'arn:aws:eks:eu-west-1:123456789012:cluster/hub',
    autoApprovedArnPatterns: [],
    awsResourceTags: [],
    ...flags,
  })
  using _ = hubAws(wish, { clock: systemClock, log: silentLog, show() {}, serverVersion: async () => 'v1.34.1' })
}

const refusal = (words: RegExp) => ({ code: 'FLAG_MALFORMED', message: words })

test('flags that cannot be meant are told by name before AWS is asked anything', () => {
  assert.throws(() => open({ hubClusterArn: 'arn:aws:eks:x' }), refusal(/^--hub-cluster-arn: .*is not the ARN/))
  assert.throws(
    () => open({ awsResourceTags: ['team'] }),
    refusal(/^--aws-resource-tags: the tag "team" does not have/),
  )
  assert.throws(() => open({ awsResourceTags: ['a=b=c'] }), refusal(/exactly one =/))
  assert.throws(
    () => open({ autoApprovedArnPatterns: ['arn:('] }),
    refusal(/^--auto-approved-arn-patterns: .*"arn:\("/),
  )
  open({ awsResourceTags: ['team=blue'], autoApprovedArnPatterns: ['arn:.*'] })
})
