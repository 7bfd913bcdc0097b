import { expect, test } from 'vitest'
import { requireAccept, requireJson } from './request-headers.ts'

test.each([
  'application/json',
  'application/json; charset=utf-8',
  'application/json ;charset=utf-8',
  'APPLICATION/JSON',
  'Application/Json;charset=UTF-8',
])('the type %j is JSON', (type) => {
  expect(() => requireJson({ 'content-type': type })).not.toThrow()
})

test.each([
  undefined,
  '',
  'text/plain',
  'text/plain;application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=application/json',
  'application/jsonp',
  'application/json-patch+json',
  'xapplication/json',
])('the type %j is not', (type) => {
  expect(() => requireJson(type === undefined ? {} : { 'content-type': type })).toThrow(
    expect.objectContaining({ code: 'UNSUPPORTED_MEDIA_TYPE' }),
  )
})

test.each([
  undefined,
  '*/*',
  'application/json, text/event-stream',
  'text/event-stream,application/json',
  'application/json;q=0.9 , text/event-stream;q=0.8',
  'APPLICATION/JSON, TEXT/EVENT-STREAM',
  'application/*, text/*',
  'text/html, */*;q=0.1',
])('a client that accepts %j can be answered', (accept) => {
  expect(() => requireAccept(accept === undefined ? {} : { accept })).not.toThrow()
})

test.each([
  '',
  'application/json',
  'text/event-stream',
  'text/html',
  'text/*',
  'application/*',
  'application/jsonx, text/event-streamx',
])('a client that accepts %j cannot', (accept) => {
  expect(() => requireAccept({ accept })).toThrow(expect.objectContaining({ code: 'NOT_ACCEPTABLE' }))
})
