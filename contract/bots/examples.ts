import { exampleIds } from '../shared.ts'

export const exampleFlow = {
  events: [
    {
      id: 'start-event',
      type: 'start',
      graphCoordinates: { x: 0, y: 0 },
      outgoingEdgeId: 'edge-welcome',
    },
  ],
  groups: [
    {
      id: 'group-welcome',
      title: 'Welcome',
      graphCoordinates: { x: 200, y: 0 },
      blocks: [
        {
          id: 'block-hello',
          type: 'text',
          content: { richText: [{ type: 'p', children: [{ text: 'Hello! What is your e-mail address?' }] }] },
        },
        { id: 'block-email', type: 'email input', options: { variableId: 'variable-email' } },
      ],
    },
  ],
  edges: [{ id: 'edge-welcome', from: { eventId: 'start-event' }, to: { groupId: 'group-welcome' } }],
  variables: [{ id: 'variable-email', name: 'Email' }],
}

/** Groups of an alternative flow that waits at a webhook. */
export const exampleWebhookGroups = [
  {
    id: 'group-welcome',
    title: 'Payment',
    graphCoordinates: { x: 200, y: 0 },
    blocks: [
      { id: 'block-webhook', type: 'webhook' },
      { id: 'block-crm', type: 'Make.com' },
    ],
  },
]

export const exampleLegacyFlow = {
  groups: [
    {
      id: 'group-start',
      title: 'Start',
      graphCoordinates: { x: 0, y: 0 },
      blocks: [{ id: 'block-start', type: 'start', label: 'Start', outgoingEdgeId: 'edge-welcome' }],
    },
    {
      id: 'group-welcome',
      title: 'Welcome',
      graphCoordinates: { x: 200, y: 0 },
      blocks: [{ id: 'block-email', type: 'email input', options: { variableId: 'variable-email' } }],
    },
  ],
  edges: [{ id: 'edge-welcome', from: { blockId: 'block-start' }, to: { groupId: 'group-welcome' } }],
  variables: [{ id: 'variable-email', name: 'Email' }],
}

export const exampleBot = {
  version: '6.1',
  id: exampleIds.bot,
  name: 'Lead generation',
  ...exampleFlow,
  theme: {},
  selectedThemeTemplateId: null,
  settings: {},
  createdAt: '2026-03-04T10:15:30.120Z',
  updatedAt: '2026-03-04T10:15:30.120Z',
  icon: '🎯',
  folderId: null,
  publicId: null,
  customDomain: null,
  workspaceId: exampleIds.workspace,
  resultsTablePreferences: null,
  isArchived: false,
  isClosed: false,
  messagingCredentialsId: null,
  riskLevel: null,
}

export const exampleLegacyBot = { ...exampleBot, version: '5', events: null, ...exampleLegacyFlow }
