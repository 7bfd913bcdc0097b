import { expect, test } from 'vitest'
import * as contract from '@herma/contract'

test('the public names of the package are exactly these', () => {
  expect(Object.keys(contract).toSorted()).toEqual([
    'Collision',
    'ConnectorInput',
    'ConnectorName',
    'ConnectorOAuth',
    'ConnectorOAuthView',
    'ConnectorOptions',
    'ConnectorPatch',
    'ConnectorView',
    'DescriptorCounts',
    'DownstreamHealth',
    'DownstreamState',
    'EventView',
    'HubError',
    'HubStatus',
    'ImportReport',
    'LogLine',
    'NamedValue',
    'NamedValueView',
    'Problem',
    'ServerPatch',
    'ServerView',
    'SignInStep',
    'SignInView',
    'TestReport',
    'TestRequest',
    'TestStage',
    'ToolSummary',
    'Transport',
    'connectSnippets',
    'errorCodes',
  ])
})
