import { z } from 'zod'

import {
  ApprovalAnswer,
  ChatInput,
  ThreadDetail,
  ThreadInput,
  ThreadPage,
  ThreadQuery,
  ThreadTotals,
  ThreadView,
} from '../../session/thread.ts'
import type { ApiOperation } from '../operation.ts'

const ofSession = z.object({ name: z.string() })
const ofThread = ofSession.extend({ thread: z.string() })

export const threadOperations = {
  listThreads: {
    method: 'GET',
    path: '/api/sessions/:name/threads',
    summary: 'Your talks with a session, the newest first.',
    params: ofSession,
    query: ThreadQuery,
    responses: { 200: { description: 'A page of threads.', schema: ThreadPage } },
    errors: ['SESSION_NOT_FOUND'],
  },
  sumThreads: {
    method: 'GET',
    path: '/api/threads',
    summary: 'How many talks you have with each session, and what they took.',
    responses: { 200: { description: 'The sums.', schema: z.object({ sessions: z.array(ThreadTotals) }) } },
  },
  addThread: {
    method: 'POST',
    path: '/api/sessions/:name/threads',
    role: 'member',
    summary: 'Begin a talk with a session.',
    params: ofSession,
    body: ThreadInput,
    responses: { 201: { description: 'The thread.', schema: ThreadView } },
    errors: ['SESSION_NOT_FOUND'],
  },
  getThread: {
    method: 'GET',
    path: '/api/sessions/:name/threads/:thread',
    summary: 'A thread with its messages.',
    params: ofThread,
    responses: { 200: { description: 'The thread.', schema: ThreadDetail } },
    errors: ['SESSION_NOT_FOUND', 'THREAD_NOT_FOUND'],
  },
  renameThread: {
    method: 'PATCH',
    path: '/api/sessions/:name/threads/:thread',
    role: 'member',
    summary: 'Give a thread another title.',
    params: ofThread,
    body: ThreadInput,
    responses: { 200: { description: 'The thread.', schema: ThreadView } },
    errors: ['SESSION_NOT_FOUND', 'THREAD_NOT_FOUND'],
  },
  removeThread: {
    method: 'DELETE',
    path: '/api/sessions/:name/threads/:thread',
    role: 'member',
    summary: 'Forget a thread. A turn under way in it ends.',
    params: ofThread,
    responses: { 204: { description: 'It is gone.' } },
    errors: ['SESSION_NOT_FOUND', 'THREAD_NOT_FOUND'],
  },
  sayInThread: {
    method: 'POST',
    path: '/api/sessions/:name/threads/:thread/messages',
    role: 'member',
    summary: 'Say something to a session and hear what happens, as server-sent events of the form ChatEvent.',
    params: ofThread,
    body: ChatInput,
    responses: { 200: { description: 'A stream (text/event-stream); its last event is done or error.' } },
    errors: ['SESSION_NOT_FOUND', 'THREAD_NOT_FOUND', 'THREAD_BUSY'],
  },
  followThread: {
    method: 'GET',
    path: '/api/sessions/:name/threads/:thread/events',
    role: 'member',
    summary: 'Hear a turn that is under way, from its begin. Without one the answer is empty.',
    params: ofThread,
    responses: {
      200: { description: 'A stream (text/event-stream).' },
      204: { description: 'No turn is under way.' },
    },
    errors: ['SESSION_NOT_FOUND', 'THREAD_NOT_FOUND'],
  },
  cancelTurn: {
    method: 'POST',
    path: '/api/sessions/:name/threads/:thread/cancel',
    role: 'member',
    summary: 'End the turn that is under way. Nothing of it is kept.',
    params: ofThread,
    responses: { 204: { description: 'It ends.' } },
    errors: ['SESSION_NOT_FOUND', 'THREAD_NOT_FOUND'],
  },
  answerApproval: {
    method: 'POST',
    path: '/api/sessions/:name/approvals/:approval',
    role: 'member',
    summary: 'Allow or refuse a tool call that waits for you.',
    params: ofSession.extend({ approval: z.string() }),
    body: ApprovalAnswer,
    responses: { 204: { description: 'The session goes on.' } },
    errors: ['SESSION_NOT_FOUND', 'APPROVAL_NOT_FOUND'],
  },
} as const satisfies Record<string, ApiOperation>
