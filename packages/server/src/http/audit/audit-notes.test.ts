import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import type { Principal } from '../access/principal.ts';
import { createAuditNotes } from './audit-notes.ts';
import type { AuditedCall } from './audit-sink.ts';

/** A call whose connection is open until it is said to be closed. */
function bench() {
  const seen: AuditedCall[] = [];
  const notes = createAuditNotes([], { observe: (call) => void seen.push(call) });
  const connection = { isOpen: true };
  const request = {
    ...{ method: 'GET', params: {}, routeOptions: { url: '/batch' } },
    get ip() {
      return connection.isOpen ? '127.0.0.1' : undefined;
    },
  } as unknown as FastifyRequest;
  return { notes, request, seen, connection };
}

const principal = { tenantId: 'local', tokenId: null } as unknown as Principal;

test('who hangs up as soon as the reply is there is still written down with an address', () => {
  const { notes, request, seen, connection } = bench();
  notes.caller(request, principal);
  connection.isOpen = false;
  notes.end(request, 200);
  expect(seen).toMatchObject([{ address: '127.0.0.1', status: 200 }]);
});

test('an address that was never known is a word, so that the line can be written', () => {
  const { notes, request, seen, connection } = bench();
  connection.isOpen = false;
  notes.caller(request, principal);
  notes.end(request, 401, 'unauthorized');
  expect(seen).toMatchObject([{ address: '(gone)' }]);
});
